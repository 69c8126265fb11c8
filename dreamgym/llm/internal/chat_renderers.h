// What the renderers of chat templates share: a writer that remembers which bytes came from the
// conversation, and values of messages with the meaning that Jinja gives them.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/llm/chat/chat_template.h"

namespace dreamgym {

using ChatJson = nlohmann::ordered_json;

/// Thread safety: none.
class ChatWriter {
 public:
  void write(std::string_view text) { chat_.text += text; }
  void write_content(std::string_view text);
  RenderedChat take() { return std::move(chat_); }

 private:
  RenderedChat chat_;
};

/// One message and its number, for errors.
struct TemplateMessage {
  const ChatJson& json;
  std::size_t index = 0;

  /// The member, or null if it is not there.
  [[nodiscard]] const ChatJson& get(const char* key) const;
  [[nodiscard]] bool has(const char* key) const { return json.contains(key); }
  [[nodiscard]] std::string role() const { return text("role"); }
  /// @throws Error kInvalidArgument unless it is text.
  [[nodiscard]] std::string text(const char* key) const;
  /// What `{{ x }}` prints: text itself, null as None, nothing if it is not there.
  [[nodiscard]] std::string printed(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const;
};

/// A variable of the template. @throws Error kInvalidArgument unless it is text.
std::string text_variable(const ChatRequest& request, const char* name, std::string_view otherwise);

TemplateMessage message_at(const ChatRequest& request, std::size_t index);
/// @throws Error kInvalidArgument if there is none: the template reads the first message.
TemplateMessage first_message(const ChatRequest& request);

/// Text of a member of something inside a message, e.g. the name of a tool call.
std::string text_member(const TemplateMessage& message, const ChatJson& json, const char* key);

/// Python's x.strip(), x.lstrip("\n") and x.rstrip("\n").
std::string_view strip(std::string_view text);
std::string_view strip_newlines_left(std::string_view text);
std::string_view strip_newlines_right(std::string_view text);

/// Python's truth of a value.
bool is_true(const ChatJson& value);

RenderedChat render_chatml(const ChatRequest& request, std::string_view default_system);
RenderedChat render_llama3(const ChatRequest& request);
/// @param builtin_tools  whether the template knows tools that run in a notebook (3.1).
RenderedChat render_llama3_tools(const ChatRequest& request, bool builtin_tools);
RenderedChat render_qwen2_5(const ChatRequest& request);
RenderedChat render_qwen3(const ChatRequest& request);

}  // namespace dreamgym
