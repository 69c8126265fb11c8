// A chat model whose replies are a function of the prompt, for tests.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/llm/chat_model.h"

namespace dreamgym {

/// Thread safety: as ChatModel.
class ScriptedChat final : public ChatModel {
 public:
  using Answer = std::function<Expected<ChatReply, ModelFailure>(const ChatPrompt& prompt)>;
  explicit ScriptedChat(Answer answer) : answer_(std::move(answer)) {}

  std::vector<Expected<ChatReply, ModelFailure>> chat(
      std::span<const ChatPrompt> prompts) override {
    std::vector<Expected<ChatReply, ModelFailure>> replies;
    for (const ChatPrompt& prompt : prompts) {
      prompts_.push_back(prompt);
      replies.push_back(answer_(prompt));
    }
    return replies;
  }
  [[nodiscard]] std::string version() const override { return "scripted"; }
  /// Everything it was asked so far.
  [[nodiscard]] const std::vector<ChatPrompt>& prompts() const { return prompts_; }

 private:
  Answer answer_;
  std::vector<ChatPrompt> prompts_;
};

}  // namespace dreamgym
