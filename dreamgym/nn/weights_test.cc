#include "dreamgym/nn/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/nn/internal/config_json.h"
#include "dreamgym/nn/internal/safetensors.h"

namespace dreamgym {
namespace {

TransformerConfig tiny_config() {
  TransformerConfig config;
  config.vocab_size = 11;
  config.hidden_size = 8;
  config.num_layers = 1;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 4;
  config.intermediate_size = 6;
  return config;
}

// A folder of this test, empty at first, gone afterwards.
class WeightsOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() /
               (std::string("dreamgym_weights_") +
                testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Path arrays_path() const { return Path(folder_) / "model.safetensors"; }
  [[nodiscard]] Path config_path() const { return Path(folder_) / "config.json"; }

  ErrorKind load_error() {
    try {
      load_weights(folder_);
    } catch (const Error& error) {
      message_ = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "loaded";
    return ErrorKind::kBusy;
  }

  std::string folder_;
  std::string message_;
};

std::string bytes_of_halves(const std::vector<std::uint16_t>& halves) {
  return {reinterpret_cast<const char*>(halves.data()), halves.size() * 2};
}

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

TEST(InitialWeights, HaveTheShapesAndSpreadsOfTheRecipe) {
  TransformerConfig config = transformer_preset("nano");
  config.vocab_size = 512;
  const TransformerWeights weights = initial_weights(config, 7);
  const auto spread = [&](const std::string& name) {
    const auto& values = weights.arrays.at(name).values;
    double sum = 0;
    for (const float value : values) {
      sum += static_cast<double>(value) * value;
    }
    return std::sqrt(sum / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(spread("model.embed_tokens.weight"), 0.02, 0.0005);
  EXPECT_NEAR(spread("model.layers.2.mlp.up_proj.weight"), 1 / std::sqrt(128.0), 0.002);
  EXPECT_NEAR(spread("model.layers.2.mlp.down_proj.weight"), 1 / std::sqrt(384.0 * 10), 0.001);
  EXPECT_EQ(spread("model.layers.0.mlp_convolution.weight"), 0.0);
  EXPECT_EQ(spread("model.norm.weight"), 1.0);
  EXPECT_EQ(weights.arrays.size(), parameter_shapes(config).size());
}

TEST(InitialWeights, FollowTheSeedOnly) {
  EXPECT_EQ(initial_weights(tiny_config(), 7).arrays, initial_weights(tiny_config(), 7).arrays);
  EXPECT_NE(initial_weights(tiny_config(), 7).arrays, initial_weights(tiny_config(), 8).arrays);
}

TEST(TransformerPreset, HasTheSizesItSays) {
  const auto millions = [](const std::string& name) {
    TransformerConfig config = transformer_preset(name);
    config.vocab_size = 1024;
    double count = 0;
    for (const auto& [parameter, shape] : parameter_shapes(config)) {
      count += static_cast<double>(shape[0] * (shape.size() > 1 ? shape[1] : 1));
    }
    return count / 1e6;
  };
  EXPECT_NEAR(millions("nano-s"), 0.45, 0.03);
  EXPECT_NEAR(millions("nano"), 1.12, 0.03);
  EXPECT_NEAR(millions("nano-l"), 2.87, 0.05);
}

TEST(TransformerPreset, NamesTheKnownOnes) {
  try {
    transformer_preset("nanol");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find("nano-l"), std::string::npos);
  }
}

TEST_F(WeightsOnDisk, ComeBackBitForBitInFp32) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.version = "tiny@1";
  save_weights(weights, folder_, WeightType::kFloat32);
  const TransformerWeights loaded = load_weights(folder_);
  EXPECT_EQ(loaded.config, weights.config);
  EXPECT_EQ(loaded.arrays, weights.arrays);
  EXPECT_EQ(loaded.version, "tiny@1");
}

TEST_F(WeightsOnDisk, ComeBackRoundedInBf16) {
  const TransformerWeights weights = initial_weights(tiny_config(), 7);
  save_weights(weights, folder_, WeightType::kBFloat16);
  const TransformerWeights loaded = load_weights(folder_);
  for (const auto& [name, array] : weights.arrays) {
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      EXPECT_NEAR(
          loaded.arrays.at(name).values[i], array.values[i], std::abs(array.values[i]) / 256);
    }
  }
}

TEST_F(WeightsOnDisk, NoticeAFlippedByte) {
  save_weights(initial_weights(tiny_config(), 7), folder_, WeightType::kFloat32);
  std::string bytes = read_file(arrays_path());
  bytes[bytes.size() - 40] ^= 1;
  write_file(arrays_path(), bytes);
  EXPECT_EQ(load_error(), ErrorKind::kCorrupt);
  EXPECT_NE(message_.find("checksum"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, NoticeAFileCutShortAnywhere) {
  save_weights(initial_weights(tiny_config(), 7), folder_, WeightType::kFloat32);
  const std::string bytes = read_file(arrays_path());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_file(arrays_path(), bytes.substr(0, size));
    EXPECT_EQ(load_error(), ErrorKind::kCorrupt) << size;
  }
}

TEST_F(WeightsOnDisk, NameAMissingArray) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays.erase("model.norm.weight");
  save_weights(weights, folder_, WeightType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kParse);
  EXPECT_NE(message_.find("model.norm.weight"), std::string::npos);
}

TEST_F(WeightsOnDisk, NameAnArrayOfAnotherShape) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.config.vocab_size = 12;
  save_weights(weights, folder_, WeightType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kParse);
  EXPECT_NE(message_.find("[11, 8]"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, RefuseArraysOfAnotherArchitecture) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays["model.layers.0.self_attn.q_proj.bias"] = {{8}, std::vector<float>(8)};
  save_weights(weights, folder_, WeightType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kUnsupported);
}

TEST_F(WeightsOnDisk, IgnoreATiedHeadStoredTwice) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays["lm_head.weight"] = weights.arrays.at("model.embed_tokens.weight");
  save_weights(weights, folder_, WeightType::kFloat32);
  EXPECT_FALSE(load_weights(folder_).arrays.contains("lm_head.weight"));
}

TEST_F(WeightsOnDisk, SayWhichFileIsMissing) {
  EXPECT_EQ(load_error(), ErrorKind::kNotFound);
  EXPECT_NE(message_.find("config.json"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, TakeAConfigThatIsNotJsonForOne) {
  save_weights(initial_weights(tiny_config(), 7), folder_, WeightType::kFloat32);
  write_file(config_path(), "{\"model_type\":");
  EXPECT_EQ(load_error(), ErrorKind::kParse);
}

TEST(ConfigJson, ComesBackTheSame) {
  TransformerConfig config = tiny_config();
  config.tied_embeddings = false;
  config.rope_theta = 500000;
  EXPECT_EQ(internal::config_from_json(internal::config_to_json(config, "float32"), "x"), config);
}

TEST(ConfigJson, ReadsALlamaCheckpointsDefaults) {
  const auto config = internal::config_from_json(
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
    internal::config_from_json(text, "config.json");
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

TEST(Safetensors, ReadsHalfPrecisionOfBothKinds) {
  const std::string header = R"({"a":{"dtype":"F16","shape":[5],"data_offsets":[0,10]},)"
                             R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[10,14]}})";
  const std::string data =
      bytes_of_halves({0x3c00, 0xc100, 0x0001, 0x7c00, 0x8000, 0x3f80, 0xc020});
  const auto file = internal::read_safetensors(safetensors_bytes(header, data), "x");
  const std::vector<float> expected{1.0F, -2.5F, std::ldexp(1.0F, -24), INFINITY, -0.0F};
  EXPECT_EQ(file.arrays.at("a").values, expected);
  EXPECT_EQ(file.arrays.at("b").values, (std::vector<float>{1.0F, -2.5F}));
}

TEST(Safetensors, RoundsToBf16LikeTheHardwareAndKeepsNan) {
  const std::map<std::string, WeightArray> arrays{
      {"a", {{4}, {1.00390625F, 1.01171875F, NAN, -3.0e38F}}}};
  const auto file = internal::read_safetensors(
      internal::write_safetensors(arrays, {}, WeightType::kBFloat16), "x");
  const auto& values = file.arrays.at("a").values;
  EXPECT_EQ(values[0], 1.0F);       // halfway: to the even neighbour below
  EXPECT_EQ(values[1], 1.015625F);  // halfway: to the even neighbour above
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_NEAR(values[3], -3.0e38F, 1e36F);
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  const auto kind = [](const std::string& header, std::size_t data_bytes) {
    try {
      internal::read_safetensors(safetensors_bytes(header, std::string(data_bytes, '\0')), "x");
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kBusy;
  };
  EXPECT_EQ(kind("[1]", 0), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
            ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8),
            ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8),
            ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
            ErrorKind::kCorrupt);
  EXPECT_EQ(
      kind(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0),
      ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"F32","shape":[1]}})", 4), ErrorKind::kCorrupt);
  EXPECT_EQ(kind(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", 8),
            ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace dreamgym
