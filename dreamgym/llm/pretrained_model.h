// Any model we can run, from one path: weights, tokenizer, chat format, end tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/chat/chat_template.h"
#include "dreamgym/llm/checkpoint/generation_config.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// How a model reads and writes text, whatever its family. Values; copies share the tokenizer.
struct ModelLanguage {
  std::shared_ptr<const Tokenizer> tokenizer;
  /// The same tokenizer where it is not of our own family.
  std::shared_ptr<const PretrainedTokenizer> pretrained;
  std::optional<std::string> chat_template{};  ///< Jinja text
  GenerationConfig generation{};
};

struct PretrainedModel {
  TransformerWeights weights;
  ModelLanguage language;
};

/// @param model  a .gguf file, a folder in Hugging Face's layout (Llama, Qwen2, Qwen3, SmolLM2) or
///               one of our own (dreamgym_nano).
/// @throws Error as the readers of these files; kCorrupt if the tokenizer knows more tokens than
///         the model.
PretrainedModel load_pretrained_model(const Path& model);
ModelLanguage load_model_language(const Path& model);
/// Whether a model brings one; without, it takes and gives ids only.
bool has_tokenizer(const Path& model);
TransformerWeights load_model_weights(const Path& model);
/// Its shape alone; no weight is read.
TransformerConfig load_model_config(const Path& model);

/// @throws Error kCorrupt if the tokenizer knows more tokens than the model.
void check_vocabulary(const ModelLanguage& language,
                      const TransformerConfig& config,
                      const std::string& model);

/// Adds the LoRA adapter in `folder` to the weights and to their version's name.
/// @throws Error as load_lora() and merge_lora().
void merge_adapter(const Path& folder, TransformerWeights& weights);

/// The chat format called `name`, or with "" the one the model's own template is.
/// @throws Error kUnsupported for a model without a template or with an unknown one, kConfig for an
///         unknown name.
ChatTemplate chat_template_of(const ModelLanguage& language,
                              const std::string& name,
                              const std::string& model);

/// Ids of a rendered conversation; special tokens that its messages spell out stay plain text.
std::vector<TokenId> chat_tokens(const ModelLanguage& language, const RenderedChat& chat);

}  // namespace dreamgym
