// A model that runs here, asked in messages: the same face as an endpoint's.
//
// Messages are rendered in the model's own chat format. Where a prompt names a JSON Schema the reply
// is held to it while it is written (grammar/json_schema.h); a reply that runs into its limit is
// brought to its end (grammar/shortest_end.h), so that it is JSON of that form whatever the model.
// What prompts begin with is read once: within a call, and from call to call, where each prompt goes
// on with the conversation that it has most in common with.
// Thread safety: as ChatModel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/grammar/pattern.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/pretrained_model.h"

namespace dreamgym {

class LocalChat final : public ChatModel {
 public:
  /// @param model     borrowed; its sessions from 1 on are used here.
  /// @param language  of the same model; a pretrained one.
  /// @throws Error kUnsupported for one of our own models, which has no chat format.
  LocalChat(LanguageModel& model, ModelLanguage language, ChatTemplate format);

  /// A conversation that leaves no room for a reply, or for a reply of the schema's form, is a bad
  /// reply that names the lengths. An end that is brought about comes on top of a prompt's max_tokens.
  /// @throws Error as json_schema_pattern() for a schema it can't keep to.
  std::vector<Expected<ChatReply, ModelFailure>> chat(
      std::span<const ChatPrompt> prompts) override;
  [[nodiscard]] std::string version() const override { return model_.version(); }
  /// Replies whose end was brought about so far.
  [[nodiscard]] std::uint64_t num_brought_to_end() const { return num_brought_to_end_; }

 private:
  struct Form {  // of a schema
    PatternPtr pattern;
    std::shared_ptr<const TokenGrammar> grammar;
    std::size_t reserve_tokens = 0;  // that an end may take
  };
  struct Asked;

  const Form* form_of(const ChatPrompt& prompt);
  [[nodiscard]] std::shared_ptr<const TokenGrammar> grammar_of(const Pattern& pattern);
  void choose_sessions(std::vector<Asked>& asked);
  void bring_to_end(std::vector<Asked>& asked);
  [[nodiscard]] ChatReply reply_of(const Asked& asked) const;

  LanguageModel& model_;
  ModelLanguage language_;
  ChatTemplate format_;
  std::shared_ptr<const TokenSpellings> spellings_;  // made when first needed
  std::map<std::string, Form> forms_;                // by the schema's text
  std::vector<std::vector<TokenId>> sessions_;       // what session i + 1 has read
  std::uint64_t num_brought_to_end_ = 0;
};

}  // namespace dreamgym
