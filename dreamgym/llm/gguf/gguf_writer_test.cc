#include "dreamgym/llm/gguf/gguf_writer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

/// Writes a reference checkpoint with the vocabulary of the reference file, and opens it.
GgufFile written(const TransformerWeights& weights,
                 const GgufFile& reference,
                 BlockType type,
                 const Path& path) {
  write_gguf(weights,
             {.name = "x",
              .vocabulary = gguf_vocabulary(reference),
              .chat_template = "{{ messages }}",
              .generation = gguf_generation_config(reference)},
             type,
             path);
  return GgufFile(path);
}

TEST(GgufWriter, WritesTheBlocksThatTheReferenceWrites) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const GgufFile reference(data / "gguf/qwen3_q8_0.gguf");
  const GgufFile file = written(load_weights((data / "tiny/qwen3_tied_f32").string()),
                                reference,
                                BlockType::kQ8_0,
                                folder.path() / "x.gguf");
  ASSERT_EQ(file.tensors().size(), reference.tensors().size());
  for (const auto& [name, tensor] : reference.tensors()) {
    const GgufTensor& ours = file.tensors().at(name);
    EXPECT_EQ(ours.format.name, tensor.format.name) << name;
    EXPECT_EQ(ours.shape, tensor.shape) << name;
    EXPECT_EQ(ours.bytes, tensor.bytes) << name;
  }
}

TEST(GgufWriter, OrdersRowsAndStretchesPositionsAsLlamaCppExpects) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const GgufFile reference(data / "gguf/llama3_f32.gguf");
  const GgufFile file = written(load_weights((data / "tiny/llama3_untied_f32").string()),
                                reference,
                                BlockType::kF32,
                                folder.path() / "x.gguf");
  for (const auto& [name, tensor] : reference.tensors()) {
    const GgufTensor& ours = file.tensors().at(name);
    if (name == "rope_freqs.weight") {
      const auto factors = dequantized(ours, name);
      const auto expected = dequantized(tensor, name);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(factors[i], expected[i], 1e-5 * expected[i]);
      }
    } else {
      EXPECT_EQ(ours.bytes, tensor.bytes) << name;
    }
  }
}

TEST(GgufWriter, WritesWhatTheReaderReads) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const GgufFile reference(data / "gguf/qwen2_mixed.gguf");
  const TransformerWeights weights = load_weights((data / "tiny/qwen2_tied_bf16").string());
  const GgufFile file = written(weights, reference, BlockType::kF16, folder.path() / "x.gguf");
  TransformerWeights read = gguf_weights(file);
  read.config.other_keys = weights.config.other_keys;
  EXPECT_EQ(read.config, weights.config);
  for (const auto& [name, array] : weights.arrays) {
    const auto& values = read.arrays.at(name).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], array.values[i], 1e-7 + std::abs(array.values[i]) / 2048) << name;
    }
  }
  const PretrainedVocabulary vocabulary = gguf_vocabulary(file);
  const PretrainedVocabulary expected = gguf_vocabulary(reference);
  EXPECT_EQ(vocabulary.tokens, expected.tokens);
  EXPECT_EQ(vocabulary.merges, expected.merges);
  EXPECT_EQ(vocabulary.added, expected.added);
  EXPECT_EQ(gguf_chat_template(file), "{{ messages }}");
  EXPECT_EQ(gguf_generation_config(file), gguf_generation_config(reference));
}

TEST(GgufWriter, RefusesWhatDoesNotFit) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const Path path = folder.path() / "x.gguf";
  TransformerWeights weights = load_weights((data / "tiny/smollm2_tied_bf16").string());
  GgufExtras extras;
  extras.vocabulary.tokens.resize(1000);
  EXPECT_THROW(write_gguf(weights, extras, BlockType::kF16, path), Error);
  extras.vocabulary.tokens.clear();
  weights.config.family = "dreamgym_nano";
  EXPECT_THROW(write_gguf(weights, extras, BlockType::kF16, path), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace dreamgym
