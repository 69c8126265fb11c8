// Ask a language model in messages, whoever serves it.
//
// For models whose tokens we never see: endpoints with a chat interface. A model that fails says so
// in the reply's place, because some calls always fail and must not cost the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/expected.h"

namespace dreamgym {

struct ChatMessage {
  std::string role;  ///< "system", "user" or "assistant"
  std::string content;
  bool operator==(const ChatMessage&) const = default;
};

struct ChatPrompt {
  std::vector<ChatMessage> messages;  ///< not empty
  double temperature = 0;             ///< 0 = greedy
  std::size_t max_tokens = 1024;      ///< of the reply
  std::uint64_t seed = 0;
  /// Name and JSON Schema that the reply should follow, for servers that can hold it to one; it must be
  /// checked all the same. "" = free text.
  std::string schema_name;
  std::string json_schema;
};

struct ChatReply {
  std::string text;                     ///< without a separate reasoning part
  bool cut = false;                     ///< ended at max_tokens
  std::optional<double> mean_logprob{}; ///< per token, where the server tells
  std::size_t prompt_tokens = 0;
  std::size_t completion_tokens = 0;
};

struct ModelFailure {
  enum class Kind {
    kUnavailable,  ///< nobody answered in time, whatever was tried: a failure of infrastructure
    kBadReply,     ///< an answer came and could not be used
  };
  Kind kind = Kind::kUnavailable;
  std::string reason;  ///< one line
};

/// Thread safety: calls must not overlap; implementations may use threads inside.
class ChatModel {
 public:
  virtual ~ChatModel() = default;
  /// A reply or the reason there is none for each prompt, in order.
  virtual std::vector<Expected<ChatReply, ModelFailure>> chat(
      std::span<const ChatPrompt> prompts) = 0;
  /// Names the model, e.g. "qwen2.5-7b@http://host:8000/v1"; stored with what it says.
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace dreamgym
