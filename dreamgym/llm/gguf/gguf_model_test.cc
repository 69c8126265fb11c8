#include "dreamgym/llm/gguf/gguf_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/chat/chat_template.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

TEST(GgufModel, DequantisesTheReferenceTensors) {
  const Path folder = language_model_data() / "gguf";
  DREAMGYM_NEEDS_FILE(folder);
  for (const char* name :
       {"llama3_f32", "llama3_mixed", "qwen2_mixed", "qwen3_q8_0", "smollm2_q4_1"}) {
    const GgufFile file(folder / (std::string(name) + ".gguf"));
    const Json expected = read_json(folder / (std::string(name) + ".expected.json"))["tensors"];
    EXPECT_EQ(file.tensors().size(), expected.size());
    for (const auto& [tensor, answer] : expected.items()) {
      const GgufTensor& stored = file.tensors().at(tensor);
      EXPECT_EQ(stored.format.name, answer["type"].get<std::string>());
      const std::vector<float> values = dequantized(stored, tensor);
      const auto head = answer["head"].get<std::vector<double>>();
      for (std::size_t i = 0; i < head.size(); ++i) {
        EXPECT_NEAR(values[i], head[i], 1e-6 * std::abs(head[i])) << name << " " << tensor;
      }
      double squares = 0;
      for (const float value : values) {
        squares += double{value} * value;
      }
      if (answer.contains("norm")) {
        EXPECT_NEAR(
            std::sqrt(squares), answer["norm"].get<double>(), 1e-6 * answer["norm"].get<double>());
      }
    }
  }
}

TEST(GgufModel, IsTheCheckpointItWasMadeFrom) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TransformerWeights original = load_weights((data / "tiny/llama3_untied_f32").string());
  const GgufFile file(data / "gguf/llama3_f32.gguf");
  TransformerWeights read = gguf_weights(file);
  EXPECT_EQ(read.arrays, original.arrays);
  EXPECT_EQ(read.config.rope_scaling, original.config.rope_scaling);
  read.config.other_keys = original.config.other_keys;
  EXPECT_EQ(read.config, original.config);
}

TEST(GgufModel, GivesTheVocabularyOfSmolLm2) {
  const Path path = fetched_models() / "smollm2/model.gguf";
  DREAMGYM_NEEDS_FILE(path);
  DREAMGYM_NEEDS_FILE(language_model_data());
  const GgufFile file(path);
  const PretrainedTokenizer tokenizer(gguf_vocabulary(file));
  for_each_line(
      language_model_data() / "tokenizer/strings.jsonl", [&](std::size_t, std::string_view line) {
        const Json entry = Json::parse(line);
        const auto text = entry["text"].get<std::string>();
        EXPECT_EQ(tokenizer.encode_with_markers(text), entry["smollm2"].get<std::vector<TokenId>>())
            << text;
        EXPECT_EQ(tokenizer.encode(text),
                  entry.value("smollm2_plain", entry["smollm2"]).get<std::vector<TokenId>>())
            << text;
        return true;
      });
  EXPECT_EQ(recognise_chat_template(*gguf_chat_template(file), "x"), ChatTemplate::kSmolLm2);
  EXPECT_EQ(gguf_generation_config(file).end_tokens, (std::vector<TokenId>{2}));
  const TransformerConfig config = gguf_config(file);
  EXPECT_EQ(config.num_layers, 30);
  EXPECT_EQ(config.vocab_size, 49152);
  EXPECT_TRUE(config.tied_embeddings);
  EXPECT_EQ(config.rope_theta, 100000);
}

}  // namespace
}  // namespace dreamgym
