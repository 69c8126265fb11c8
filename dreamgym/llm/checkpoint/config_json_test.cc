#include "dreamgym/llm/checkpoint/config_json.h"

#include <gtest/gtest.h>

#include <numbers>

#include "dreamgym/base/error.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

TEST(ConfigJson, ComesBackTheSame) {
  TransformerConfig config = transformer_preset("nano");
  config.vocab_size = 11;
  config.tied_embeddings = false;
  config.rope_theta = 500000;
  EXPECT_EQ(config_from_json(config_to_json(config, "float32"), "x"), config);
}

TEST(ConfigJson, ReadsALlamaCheckpointsDefaults) {
  const auto config = config_from_json(
      R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "intermediate_size": 96, "rms_norm_eps": 1e-05})",
      "config.json");
  EXPECT_EQ(config.num_kv_heads, 4);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.convolution_taps, 0);
  EXPECT_FALSE(config.tied_embeddings);
}

ErrorKind config_error(const std::string& text) {
  try {
    config_from_json(text, "config.json");
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kBusy;
}

TEST(ConfigJson, SaysWhatIsWrongWithIt) {
  const std::string rest =
      R"("vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "intermediate_size": 4, )";
  EXPECT_EQ(config_error(R"({"model_type": "gpt2", )" + rest + R"("num_attention_heads": 2})"),
            ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(R"({"model_type": "llama", )" + rest + R"("num_attention_heads": 0})"),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(config_error(R"({"model_type": "llama", )" + rest + R"("num_attention_heads": "2"})"),
            ErrorKind::kParse);
  EXPECT_EQ(config_error(R"({"model_type": "llama", "vocab_size": 9})"), ErrorKind::kParse);
  EXPECT_EQ(config_error(R"({"model_type": "llama", )" + rest +
                         R"("num_attention_heads": 2, "rope_scaling": {"factor": 8}})"),
            ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(R"({"model_type": "llama", )" + rest +
                         R"("num_attention_heads": 4, "num_key_value_heads": 3})"),
            ErrorKind::kInvalidArgument);
}

/// A Qwen2 config with members put into it.
std::string qwen2(const std::string& members) {
  std::string json =
      R"({"model_type": "qwen2", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 2,
          "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 4,
          "max_position_embeddings": 4096, )";
  json.append(members).append("}");
  return json;
}

TEST(ConfigJson, RefusesOnlyKeysThatChangeTheComputation) {
  EXPECT_EQ(config_error(qwen2("\"hidden_act\": \"gelu\"")), ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"quantization_config\": {\"bits\": 4}")), ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"attention_bias\": true")), ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"final_logit_softcapping\": 30.0")), ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"residual_multiplier\": 0.22")), ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4}")),
            ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"use_sliding_window\": true, \"sliding_window\": 1024")),
            ErrorKind::kUnsupported);
  EXPECT_EQ(config_error(qwen2("\"layer_types\": [\"full_attention\", \"sliding_attention\"]")),
            ErrorKind::kUnsupported);
  const std::string harmless =
      R"("use_sliding_window": false, "sliding_window": 1024, "residual_multiplier": 1.0,
         "layer_types": ["full_attention", "full_attention"], "my_note": {"a": [1]},
         "attention_bias": false, "pretraining_tp": 1, "transformers_version": "4.45.0")";
  const TransformerConfig config = config_from_json(qwen2(harmless), "config.json");
  const std::string written = config_to_json(config, "float32");
  EXPECT_NE(written.find("my_note"), std::string::npos) << written;
  EXPECT_EQ(config_from_json(written, "x"), config);
  EXPECT_TRUE(config.qkv_bias);
}

TEST(ConfigJson, IgnoresAWindowThatNoLayerUses) {
  const auto config = config_from_json(
      qwen2("\"use_sliding_window\": true, \"sliding_window\": 1024, \"max_window_layers\": 2"),
      "config.json");
  EXPECT_EQ(config.num_layers, 2);
  EXPECT_NO_THROW(config_from_json(qwen2("\"use_sliding_window\": true, \"sliding_window\": 8192"),
                                   "config.json"));
}

TEST(ConfigJson, ReadsBothFormsOfRotaryScaling) {
  const Path tiny = language_model_data() / "tiny";
  DREAMGYM_NEEDS_FILE(tiny);
  const auto read = [&](const char* name) {
    return config_from_json(read_file(tiny / name / "config.json"), name);
  };
  const TransformerConfig hub = read("llama3_untied_f32");
  const TransformerConfig newer = read("llama3_tied_bf16");
  EXPECT_EQ(hub.rope_scaling, newer.rope_scaling);
  EXPECT_EQ(hub.rope_scaling.kind, RopeScaling::Kind::kLlama3);
  EXPECT_EQ(hub.rope_scaling.factor, 32);
  EXPECT_EQ(hub.rope_theta, 500000);
  EXPECT_EQ(newer.rope_theta, 500000);
  EXPECT_EQ(read("sharded_untied_f16").rope_scaling.kind, RopeScaling::Kind::kNone);
  EXPECT_TRUE(read("qwen3_tied_f32").qk_norm);
  EXPECT_EQ(read("qwen3_tied_f32").head_dim, 32);
}

TEST(RopeFrequencies, AreStretchedAsTheRuleSays) {
  TransformerConfig config;
  config.head_dim = 8;
  const auto plain = rope_frequencies(config);
  config.rope_scaling.kind = RopeScaling::Kind::kLinear;
  config.rope_scaling.factor = 4;
  EXPECT_EQ(rope_frequencies(config)[2], plain[2] / 4);
  // Wavelengths 6, 63, 628, 6283 against 64 / 4 = 16 and 64 / 1 = 64.
  config.rope_scaling = {RopeScaling::Kind::kLlama3, 32, 1, 4, 64};
  const auto llama = rope_frequencies(config);
  EXPECT_EQ(llama[0], plain[0]);
  const double smooth = (64 / (20 * std::numbers::pi) - 1) / 3;
  EXPECT_NEAR(llama[1], plain[1] * ((1 - smooth) / 32 + smooth), 1e-12);
  EXPECT_EQ(llama[2], plain[2] / 32);
}

}  // namespace
}  // namespace dreamgym
