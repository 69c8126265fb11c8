// A fleet of OpenAI-compatible servers as a chat model.
#pragma once

#include <memory>

#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/endpoint/endpoint_fleet.h"
#include "dreamgym/llm/endpoint/openai_api.h"

namespace dreamgym {

/// Thread safety: as ChatModel; up to the fleet's concurrency requests are under way at once.
class EndpointChat final : public ChatModel {
 public:
  /// @param logprobs  ask for log-probabilities (not every server has them).
  EndpointChat(std::shared_ptr<EndpointFleet> fleet, StructuredOutput structured, bool logprobs);

  std::vector<Expected<ChatReply, ModelFailure>> chat(std::span<const ChatPrompt> prompts) override;
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] EndpointCounters counters() const { return fleet_->counters(); }

 private:
  std::shared_ptr<EndpointFleet> fleet_;
  StructuredOutput structured_;
  bool logprobs_;
};

}  // namespace dreamgym
