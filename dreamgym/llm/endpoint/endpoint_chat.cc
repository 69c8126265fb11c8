#include "dreamgym/llm/endpoint/endpoint_chat.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"

namespace dreamgym {

EndpointChat::EndpointChat(std::shared_ptr<EndpointFleet> fleet,
                           StructuredOutput structured,
                           bool logprobs)
    : fleet_(std::move(fleet)), structured_(structured), logprobs_(logprobs) {
  check(fleet_ != nullptr, "an endpoint chat has servers");
}

std::vector<Expected<ChatReply, ModelFailure>> EndpointChat::chat(
    std::span<const ChatPrompt> prompts) {
  const EndpointConfig& config = fleet_->config();
  return parallel_map(
      prompts.size(), config.concurrency, [&](std::size_t i) -> Expected<ChatReply, ModelFailure> {
        ChatReply reply;
        const auto accept = [&](const nlohmann::json& answer) -> Expected<void, std::string> {
          auto read = read_chat(answer);
          if (!read) {
            return Unexpected<std::string>(read.error());
          }
          reply = std::move(*read);
          return {};
        };
        const auto answer =
            fleet_->call("/chat/completions",
                         chat_body(prompts[i], config.model, structured_, logprobs_),
                         accept);
        if (!answer) {
          return Unexpected<ModelFailure>(answer.error());
        }
        return reply;
      });
}

std::string EndpointChat::version() const {
  const EndpointConfig& config = fleet_->config();
  return fmt::format("{}@{}", config.model, config.urls.front());
}

}  // namespace dreamgym
