#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/chat/chat_template.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {

void fuzz_chat(std::string_view bytes) {
  const auto json = nlohmann::ordered_json::parse(bytes, nullptr, false);
  for (const ChatTemplate format : {ChatTemplate::kSmolLm2,
                                    ChatTemplate::kLlama31,
                                    ChatTemplate::kLlama32,
                                    ChatTemplate::kQwen25,
                                    ChatTemplate::kQwen3,
                                    ChatTemplate::kChatMl}) {
    try {
      ChatRequest request;
      request.messages = json;
      (void)render_chat(format, request);
    } catch (const Error&) {
    }
  }
}

}  // namespace dreamgym
