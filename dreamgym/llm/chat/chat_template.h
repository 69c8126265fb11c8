// A conversation as the text a chat model was trained on.
//
// Checkpoints carry their format as a Jinja template. The few formats of the families we run are
// written out here, character for character, and recognised by the template's text; no template
// language is interpreted. Pure. Thread safety: reentrant.
// Source: the chat templates of SmolLM2, Llama 3, 3.1, 3.2, Qwen2.5 and Qwen3.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/text_span.h"

namespace dreamgym {

enum class ChatTemplate {
  kChatMl,   ///< "chatml": no system message of its own
  kSmolLm2,  ///< "smollm2"
  kLlama3,   ///< "llama3": messages only, no tools
  kLlama31,  ///< "llama3_1"
  kLlama32,  ///< "llama3_2"
  kQwen25,   ///< "qwen2_5"
  kQwen3,    ///< "qwen3"
};

std::string_view chat_template_name(ChatTemplate kind);
/// @throws Error kConfig naming the known ones.
ChatTemplate chat_template_named(std::string_view name);

/// The format that a Jinja text describes. Blanks between its words do not matter.
/// @param origin  where the text came from, for messages.
/// @throws Error kUnsupported that shows the text and offers `chat_template = ...`.
ChatTemplate recognise_chat_template(std::string_view jinja, const std::string& origin);

struct ChatRequest {
  /// A list of {"role", "content", "tool_calls"?, "reasoning_content"?} as OpenAI has them.
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools{};  ///< a list of function descriptions, or null
  /// What else the template reads: "date_string", "enable_thinking", "bos_token", "custom_tools",
  /// "builtin_tools", "tools_in_user_message".
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  bool add_generation_prompt = false;  ///< ends with the beginning of the assistant's turn
};

struct RenderedChat {
  std::string text;
  /// Ascending; what the conversation brought, where markers should be ordinary text. The rest is
  /// the template's own.
  std::vector<TextSpan> contents;
};

/// Deviations: content must be text or null (the reference prints lists as Python does); where
/// Llama 3.2 asks for today's date and "date_string" is not given, the text says
/// 26 Jul 2024, as the template does where there is no clock.
/// @throws Error kInvalidArgument naming the message that the template can't render.
RenderedChat render_chat(ChatTemplate kind, const ChatRequest& request);

/// The first n for which the text of messages[0, n) is no beginning of the whole conversation's
/// text (both with the same tools and variables; with the generation prompt where the next message
/// is the assistant's). Nothing: the conversation only ever appends, so a cache can be kept.
std::optional<std::size_t> first_rewritten_turn(ChatTemplate kind, const ChatRequest& request);

}  // namespace dreamgym
