// What needs a model's weights: score and generate.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/apps/lm/json_lines.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym::lm {

/// Most replies a line may ask for.
inline constexpr std::size_t kMostReplies = 1024;

struct ModelOptions {
  std::string model;
  std::string adapter;        ///< folder of a LoRA adapter to compute beside the weights; "" = none
  std::string chat_template;  ///< "" = the model's own
  std::string schema;         ///< file of a JSON Schema that replies are held to; "" = none
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
  /// The two halves of it: what a line asks for, and what its replies are as lines.
  std::vector<GenerationRequest> requests_of(const Json& line);
  [[nodiscard]] std::vector<Json> lines_of(std::span<const GenerationRequest> requests,
                                           std::span<const GenerationReply> replies) const;

  [[nodiscard]] const ModelLanguage& language() const;
  [[nodiscard]] ChatTemplate chat_template() const;
  GenerationEngine& engine() { return *engine_; }
  /// Tokens that end a turn, by the model's generation_config.json.
  [[nodiscard]] std::vector<TokenId> end_tokens() const;

 private:
  [[nodiscard]] std::vector<TokenId> context_of(const Json& line) const;
  GenerationRequest request_of(const Json& line);
  std::shared_ptr<const TokenGrammar> grammar_of(const Json& line);
  [[nodiscard]] std::shared_ptr<const TokenTrie> trie_of(const std::vector<std::string>& choices) const;
  [[nodiscard]] Json reply_of(const GenerationRequest& request, const GenerationReply& reply) const;

  ModelOptions options_;
  std::optional<ModelLanguage> language_;
  std::optional<GenerationEngine> engine_;
  std::string schema_;  // text of options_.schema
  std::shared_ptr<const TokenSpellings> spellings_;  // made when first needed
  std::map<std::string, std::shared_ptr<const TokenGrammar>> grammars_;  // by the schema's text
};

}  // namespace dreamgym::lm
