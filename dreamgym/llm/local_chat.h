// A model that runs here, asked in messages: the same face as an endpoint's.
//
// Messages are rendered in the model's own chat format. Where a prompt names a JSON Schema the reply
// is held to it while it is written (grammar/json_schema.h), so that it can only be cut, not wrong.
// Thread safety: as ChatModel.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/pretrained_model.h"

namespace dreamgym {

class LocalChat final : public ChatModel {
 public:
  /// @param model     borrowed.
  /// @param language  of the same model; a pretrained one.
  /// @throws Error kUnsupported for one of our own models, which has no chat format.
  LocalChat(LanguageModel& model, ModelLanguage language, ChatTemplate format);

  /// A conversation that leaves no room for a reply is a bad reply that names both lengths.
  /// @throws Error as json_schema_pattern() for a schema it can't keep to.
  std::vector<Expected<ChatReply, ModelFailure>> chat(
      std::span<const ChatPrompt> prompts) override;
  [[nodiscard]] std::string version() const override { return model_.version(); }

 private:
  std::shared_ptr<const TokenGrammar> grammar_of(const ChatPrompt& prompt);
  [[nodiscard]] ChatReply reply_of(const GenerationRequest& request,
                                   const GenerationReply& reply) const;

  LanguageModel& model_;
  ModelLanguage language_;
  ChatTemplate format_;
  std::shared_ptr<const TokenSpellings> spellings_;  // made when first needed
  std::map<std::string, std::shared_ptr<const TokenGrammar>> grammars_;  // by the schema's text
};

}  // namespace dreamgym
