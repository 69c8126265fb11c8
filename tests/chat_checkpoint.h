// A chat model of random weights in Hugging Face's layout: SmolLM2's tokenizer and chat format on a
// Llama small enough for a test.
#pragma once

#include <filesystem>

#include "dreamgym/llm/checkpoint/weights.h"
#include "tests/language_model_data.h"

namespace dreamgym {

inline constexpr std::int64_t kSmolLm2Vocabulary = 49152;

/// Needs language_model_data().
inline void write_chat_checkpoint(const Path& folder) {
  TransformerConfig config;
  config.family = "llama";
  config.vocab_size = kSmolLm2Vocabulary;
  config.hidden_size = 32;
  config.num_layers = 2;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 16;
  config.intermediate_size = 48;
  config.max_position = 2048;
  config.convolution_taps = 0;
  std::filesystem::create_directories(folder);
  save_weights(initial_weights(config, 3), folder.string(), NumberType::kBFloat16);
  const Path data = language_model_data() / "tokenizer";
  const auto copy = [&](const char* from, const char* to) {
    write_file(folder / to, read_file(data / from));
  };
  copy("smollm2_tokenizer.json", "tokenizer.json");
  copy("smollm2_tokenizer_config.json", "tokenizer_config.json");
}

}  // namespace dreamgym
