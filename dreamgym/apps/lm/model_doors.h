// What needs a model's weights: score and generate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/apps/lm/json_lines.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym::lm {

struct ModelOptions {
  std::string model;
  std::string adapter;        ///< folder of a LoRA adapter to merge; "" = none
  std::string chat_template;  ///< "" = the model's own
  EngineConfig engine;
};

/// A model on the generation engine. A model without a tokenizer takes and gives ids only.
/// Thread safety: none.
class ModelDoors {
 public:
  /// @throws Error as the readers of the model's files.
  explicit ModelDoors(ModelOptions options);

  /// {"ids"} -> {"logprobs", "last_logits"}
  Json score(const Json& line);
  /// {"ids" | "prompt" | "messages", ...} -> {"ids", "text", "logprobs", "finish_reason"}, one for
  /// each of "n".
  std::vector<Json> generate(const Json& line);

  [[nodiscard]] const ModelLanguage& language() const;
  [[nodiscard]] ChatTemplate chat_template() const;
  GenerationEngine& engine() { return *engine_; }
  /// Tokens that end a turn, by the model's generation_config.json.
  [[nodiscard]] std::vector<TokenId> end_tokens() const;

 private:
  [[nodiscard]] std::vector<TokenId> context_of(const Json& line) const;
  [[nodiscard]] GenerationRequest request_of(const Json& line) const;
  [[nodiscard]] std::shared_ptr<const TokenTrie> trie_of(const std::vector<std::string>& choices) const;
  [[nodiscard]] Json reply_of(const GenerationRequest& request, const GenerationReply& reply) const;

  ModelOptions options_;
  std::optional<ModelLanguage> language_;
  std::optional<GenerationEngine> engine_;
};

}  // namespace dreamgym::lm
