// Replies that must be JSON of a given form: read, checked, and asked for once more if they are not.
//
// The repair shows the model its own reply and what is wrong with it; there is one at most. A model that did
// not answer at all is not asked again here: its own retries are over.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/chat_model.h"

namespace dreamgym {

struct JsonReplyCounts {
  std::size_t asked = 0;
  std::size_t accepted = 0;       ///< at once
  std::size_t repaired = 0;       ///< accepted after the repair
  std::size_t rejected = 0;       ///< still wrong after it
  std::size_t unavailable = 0;    ///< nobody answered
  std::size_t prompt_tokens = 0;
  std::size_t completion_tokens = 0;
};

struct JsonReply {
  nlohmann::json json;
  std::optional<double> mean_logprob;
  bool repaired = false;
};

/// What is wrong with the reply to prompt number `index`; nothing if it can be used.
using JsonCheck = std::function<std::optional<std::string>(std::size_t index, const nlohmann::json& json)>;

/// The first JSON object in a reply: thinking between <think> tags and text around it (a code fence) are left
/// out. The reason if there is none.
Expected<nlohmann::json, std::string> json_in(std::string_view reply);

/// One reply or failure a prompt, in order. @param counts  is added to.
std::vector<Expected<JsonReply, ModelFailure>> ask_json(ChatModel& model,
                                                        std::span<const ChatPrompt> prompts,
                                                        const JsonCheck& check,
                                                        JsonReplyCounts& counts);

}  // namespace dreamgym
