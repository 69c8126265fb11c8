// One of our own models and its tokenizer in one folder, in the field's usual layout: config.json,
// model.safetensors, tokenizer.json. Policies of any family: policy_model.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/pretrained_model.h"

namespace dreamgym {

struct ModelFiles {
  TransformerWeights weights;
  std::shared_ptr<const BpeTokenizer> tokenizer;
};

/// @throws Error naming the missing or broken file, if vocabulary sizes don't fit, and kUnsupported
///         for a model of another family, whose tokenizer knows none of our markers.
ModelFiles load_model(const Path& folder);
/// Where a model folder named by a relative path is: here, or beside the program or a folder above it, so that
/// "models/nano" is found from everywhere. What is in none of these is returned as it was given.
Path find_model(const Path& folder);
/// Written to a temporary folder and renamed: the folder is there whole or not at all.
void save_model(const ModelFiles& model, const Path& folder, NumberType type = NumberType::kFloat32);

/// Writes how a model reads and writes: tokenizer.json and, of a pretrained one, its settings and
/// chat template.
void write_language(const ModelLanguage& language, const Path& folder);

/// Lets `write` fill a temporary folder beside `folder`, then puts it in its place.
void replace_folder(const Path& folder, const std::function<void(const Path& temporary)>& write);

}  // namespace dreamgym
