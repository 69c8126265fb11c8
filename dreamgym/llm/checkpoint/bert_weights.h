// A BERT-like sentence encoder's shape and weights, as sentence-transformers lays them out.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/checkpoint/safetensors.h"

namespace dreamgym {

struct BertConfig {
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_heads = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t max_position = 0;  ///< tokens
  double layer_norm_epsilon = 1e-12;
  std::int64_t max_tokens = 0;  ///< of a text, special tokens included; longer ones are cut
};

struct BertWeights {
  BertConfig config;
  std::map<std::string, WeightArray> arrays;  ///< Hugging Face's names, without a leading "bert."
};

/// @param folder  config.json, model.safetensors and, where they are, sentence_bert_config.json and
///                1_Pooling/config.json.
/// @throws Error kNotFound, kParse, kCorrupt; kUnsupported for another architecture, activation,
///         kind of positions or pooling (expected: bert, gelu, absolute, mean).
BertWeights load_bert(const Path& folder);

/// Whether config.json says that a folder holds such a model.
bool is_bert(const Path& folder);

}  // namespace dreamgym
