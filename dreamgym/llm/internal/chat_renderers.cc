#include "dreamgym/llm/internal/chat_renderers.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/base/utf8.h"
#include "dreamgym/llm/internal/character_class.h"
#include "dreamgym/llm/internal/python_json.h"

namespace dreamgym {
namespace {

const ChatJson& null_json() {
  static const ChatJson null;
  return null;
}

/// Python's str.isspace() of one character.
bool is_python_space(char32_t code_point) {
  return is_white_space(code_point) || (code_point >= 0x1c && code_point <= 0x1f);
}

std::string_view strip_left(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = utf8_character(text, 0);
    if (character.num_bytes == 0 || !is_python_space(character.code_point)) {
      break;
    }
    text.remove_prefix(character.num_bytes);
  }
  return text;
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xc0U) == 0x80U) {
      --start;
    }
    const Utf8Character character = utf8_character(text, start);
    if (start + character.num_bytes != text.size() || !is_python_space(character.code_point)) {
      break;
    }
    text = text.substr(0, start);
  }
  return text;
}

}  // namespace

void ChatWriter::write_content(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const std::size_t begin = chat_.text.size();
  chat_.text += text;
  chat_.contents.push_back({begin, chat_.text.size()});
}

const ChatJson& TemplateMessage::get(const char* key) const {
  const auto found = json.find(key);
  return found == json.end() ? null_json() : *found;
}

std::string TemplateMessage::text(const char* key) const {
  return text_member(*this, json, key);
}

std::string TemplateMessage::printed(const char* key) const {
  if (!has(key)) {
    return "";
  }
  return get(key).is_null() ? "None" : text(key);
}

void TemplateMessage::fail(const std::string& what) const {
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("chat message {}: {}", index, what),
              "a message is {\"role\": text, \"content\": text} with optional \"tool_calls\"");
}

std::string text_member(const TemplateMessage& message, const ChatJson& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json.at(key).is_string()) {
    message.fail(fmt::format("\"{}\" must be text, it is {}",
                             key,
                             json.is_object() && json.contains(key)
                                 ? shorten(python_json(json.at(key)), 80)
                                 : "missing"));
  }
  return json.at(key).get<std::string>();
}

std::string text_variable(const ChatRequest& request,
                          const char* name,
                          std::string_view otherwise) {
  const auto found = request.variables.find(name);
  if (found == request.variables.end()) {
    return std::string(otherwise);
  }
  if (!found->is_string()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the chat template's variable \"{}\" must be text", name));
  }
  return found->get<std::string>();
}

TemplateMessage message_at(const ChatRequest& request, std::size_t index) {
  const TemplateMessage message{request.messages.at(index), index};
  if (!message.json.is_object()) {
    message.fail("it is no object");
  }
  return message;
}

TemplateMessage first_message(const ChatRequest& request) {
  if (request.messages.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "the chat has no messages",
                "this chat template needs at least one");
  }
  return message_at(request, 0);
}

std::string_view strip(std::string_view text) {
  return strip_right(strip_left(text));
}

std::string_view strip_newlines_left(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

std::string_view strip_newlines_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

bool is_true(const ChatJson& value) {
  if (value.is_string()) {
    return !value.get_ref<const std::string&>().empty();
  }
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  return value.is_number() ? value.get<double>() != 0 : !value.empty();
}

}  // namespace dreamgym
