// How a pretrained model reads and writes text: tokenizer, chat format, end tokens.
#pragma once

#include <optional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/checkpoint/generation_config.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

struct ModelText {
  PretrainedTokenizer tokenizer;
  std::optional<std::string> chat_template;  ///< Jinja text, for recognise_chat_template()
  GenerationConfig generation;
};

/// @param model  a .gguf file, or a folder with tokenizer.json or tokenizer.model (Llama 3's
///               tiktoken form) and, where they are, tokenizer_config.json, chat_template.jinja
///               and generation_config.json.
/// @throws Error kNotFound naming what was looked for; else as the readers of these files.
ModelText load_model_text(const Path& model);

/// The layout (normaliser, pre-tokeniser, added tokens) that Llama 3.1's tokenizer.model goes with.
std::string llama3_layout();

}  // namespace dreamgym
