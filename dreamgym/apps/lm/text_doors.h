// What needs a model's tokenizer only: tokenize, detokenize, chat.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/apps/lm/json_lines.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/llm/tokenizers/word_piece.h"

namespace dreamgym::lm {

/// The tokenizer of a language model or a sentence encoder. Thread safety: const members are
/// reentrant.
class TextDoors {
 public:
  /// @throws Error as the readers of the model's files.
  explicit TextDoors(const std::string& model);

  /// "text" -> {"ids"}. @param plain  markers in the text are ordinary characters.
  [[nodiscard]] Json tokenize(const Json& line, bool plain) const;
  /// {"ids"} or [ids] -> {"text"}
  [[nodiscard]] Json detokenize(const Json& line) const;
  /// {"messages", "tools"?, "variables"?} -> {"text", "ids"}
  [[nodiscard]] Json chat(const Json& line,
                          const std::string& template_name,
                          bool generation_prompt) const;

 private:
  [[nodiscard]] const ModelLanguage& language() const;

  std::string model_;
  std::optional<ModelLanguage> language_;
  std::optional<WordPieceTokenizer> word_piece_;
};

/// The request a line describes. @throws Error kParse.
ChatRequest chat_request(const Json& line, bool generation_prompt);

}  // namespace dreamgym::lm
