#include "dreamgym/apps/model_folder.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym {

ModelFiles load_model(const Path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("no model folder at {}", std::filesystem::absolute(folder).string()),
                "name a folder that holds config.json, model.safetensors and tokenizer.json");
  }
  const std::string family = load_model_config(folder).family;
  if (family != TransformerConfig{}.family) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{} is a model of the family {}, whose tokenizer has none of the "
                            "markers that an experience model is built on",
                            folder.string(),
                            family),
                "a pretrained model can be the policy: policy.model = \"" + folder.string() +
                    "\" beside base.model = \"models/nano\"");
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

Path find_model(const Path& folder) {
  if (folder.is_absolute() || std::filesystem::exists(folder)) {
    return folder;
  }
  const Path program = std::filesystem::read_symlink("/proc/self/exe");
  for (Path above = program.parent_path(); above != above.root_path(); above = above.parent_path()) {
    if (std::filesystem::exists(above / folder / "config.json")) {
      return above / folder;
    }
  }
  return folder;
}

void save_model(const ModelFiles& model, const Path& folder, NumberType type) {
  replace_folder(folder, [&](const Path& temporary) {
    save_weights(model.weights, temporary.string(), type);
    write_tokenizer(*model.tokenizer, temporary / "tokenizer.json");
  });
}

void write_language(const ModelLanguage& language, const Path& folder) {
  if (!language.pretrained) {
    write_tokenizer(dynamic_cast<const BpeTokenizer&>(*language.tokenizer),
                    folder / "tokenizer.json");
    return;
  }
  write_file(folder / "tokenizer.json", vocabulary_to_json(language.pretrained->vocabulary()));
  write_file(folder / "generation_config.json", generation_config_to_json(language.generation));
  nlohmann::ordered_json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
                                {"clean_up_tokenization_spaces", false}};
  if (!language.generation.end_tokens.empty()) {
    const std::vector<TokenId> end{language.generation.end_tokens.front()};
    config["eos_token"] = language.tokenizer->decode(end);
  }
  if (language.chat_template) {
    config["chat_template"] = *language.chat_template;
    write_file(folder / "chat_template.jinja", *language.chat_template);
  }
  write_file(folder / "tokenizer_config.json", config.dump(2) + "\n");
}

void replace_folder(const Path& folder, const std::function<void(const Path& temporary)>& write) {
  const Path temporary = folder.string() + ".tmp";
  std::filesystem::remove_all(temporary);
  make_folder(temporary);
  write(temporary);
  std::filesystem::remove_all(folder);
  std::filesystem::rename(temporary, folder);
}

}  // namespace dreamgym
