#include "dreamgym/apps/model_folder.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

ModelFiles load_model(const Path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("no model folder at {}", folder.string()),
                "name a folder that holds config.json, model.safetensors and tokenizer.json");
  }
  ModelFiles model{load_weights(folder.string()),
                   std::make_shared<const BpeTokenizer>(read_tokenizer(folder / "tokenizer.json"))};
  const auto size = static_cast<std::int64_t>(model.tokenizer->vocabulary_size());
  if (size > model.weights.config.vocab_size) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: the tokenizer knows {} tokens, the model only {}",
                            folder.string(),
                            size,
                            model.weights.config.vocab_size),
                "the two files belong to different models");
  }
  if (model.weights.version.empty()) {
    model.weights.version = folder.filename().string();
  }
  return model;
}

void save_model(const ModelFiles& model, const Path& folder, NumberType type) {
  const Path temporary = folder.string() + ".tmp";
  std::filesystem::remove_all(temporary);
  make_folder(temporary);
  save_weights(model.weights, temporary.string(), type);
  write_tokenizer(*model.tokenizer, temporary / "tokenizer.json");
  std::filesystem::remove_all(folder);
  std::filesystem::rename(temporary, folder);
}

}  // namespace dreamgym
