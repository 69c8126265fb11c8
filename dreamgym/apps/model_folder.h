// A model and its tokenizer in one folder, in the field's usual layout: config.json,
// model.safetensors, tokenizer.json.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym {

struct ModelFiles {
  TransformerWeights weights;
  std::shared_ptr<const BpeTokenizer> tokenizer;
};

/// @throws Error naming the missing or broken file, or if vocabulary sizes don't fit.
ModelFiles load_model(const Path& folder);
/// Written to a temporary folder and renamed: the folder is there whole or not at all.
void save_model(const ModelFiles& model, const Path& folder, NumberType type = NumberType::kFloat32);

}  // namespace dreamgym
