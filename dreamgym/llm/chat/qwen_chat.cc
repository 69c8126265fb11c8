// Qwen2.5 and Qwen3: ChatML with tools in the system message, calls and their results in XML tags.
#include "dreamgym/llm/internal/chat_renderers.h"
#include "dreamgym/llm/internal/python_json.h"

namespace dreamgym {
namespace {

constexpr std::string_view kToolsBegin =
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are "
    "provided with function signatures within <tools></tools> XML tags:\n<tools>";
constexpr std::string_view kToolsEnd =
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments "
    "within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, "
    "\"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n";
constexpr std::string_view kQwen25System =
    "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

void write_tools(const ChatRequest& request, ChatWriter& out) {
  out.write(kToolsBegin);
  for (const ChatJson& tool : request.tools) {
    out.write("\n");
    out.write_content(python_json(tool));
  }
  out.write(kToolsEnd);
}

void begin_turn(const TemplateMessage& message, ChatWriter& out) {
  out.write("<|im_start|>");
  out.write_content(message.role());
}

void write_turn(const TemplateMessage& message, ChatWriter& out) {
  begin_turn(message, out);
  out.write("\n");
  out.write_content(message.text("content"));
  out.write("<|im_end|>\n");
}

bool has_role(const ChatRequest& request, std::size_t index, const char* role) {
  return index < request.messages.size() && message_at(request, index).get("role") == role;
}

/// Results of tools that follow one another share one user turn.
void write_tool_result(const ChatRequest& request, const TemplateMessage& message, ChatWriter& out) {
  if (message.index == 0 || !has_role(request, message.index - 1, "tool")) {
    out.write("<|im_start|>user");
  }
  out.write("\n<tool_response>\n");
  out.write_content(message.printed("content"));
  out.write("\n</tool_response>");
  if (!has_role(request, message.index + 1, "tool")) {
    out.write("<|im_end|>\n");
  }
}

/// A call is its "function", or the object itself.
const ChatJson& function_of(const TemplateMessage& message, const ChatJson& call) {
  const ChatJson& function =
      call.is_object() && call.contains("function") ? call["function"] : call;
  if (!function.is_object() || !function.contains("arguments")) {
    message.fail("a tool call has no arguments");
  }
  return function;
}

void write_call(const TemplateMessage& message, const ChatJson& call, bool raw_text, ChatWriter& out) {
  const ChatJson& function = function_of(message, call);
  const ChatJson& arguments = function.at("arguments");
  out.write("<tool_call>\n{\"name\": \"");
  out.write_content(text_member(message, function, "name"));
  out.write("\", \"arguments\": ");
  out.write_content(raw_text && arguments.is_string() ? arguments.get<std::string>()
                                                      : python_json(arguments));
  out.write("}\n</tool_call>");
}

void write_qwen2_5_answer(const TemplateMessage& message, ChatWriter& out) {
  begin_turn(message, out);
  if (is_true(message.get("content"))) {
    out.write("\n");
    out.write_content(message.text("content"));
  }
  for (const ChatJson& call : message.get("tool_calls")) {
    out.write("\n");
    write_call(message, call, false, out);
  }
  out.write("<|im_end|>\n");
}

/// Index of the last message by the user that is no result of a tool.
std::size_t last_query(const ChatRequest& request) {
  for (std::size_t i = request.messages.size(); i > 0; --i) {
    if (has_role(request, i - 1, "user")) {
      const std::string content = message_at(request, i - 1).text("content");
      if (!content.starts_with("<tool_response>") || !content.ends_with("</tool_response>")) {
        return i - 1;
      }
    }
  }
  return request.messages.size() - 1;
}

/// What an answer says, and the thoughts before it.
struct Answer {
  std::string content;
  std::string reasoning;
};

Answer split_answer(const TemplateMessage& message) {
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  Answer answer{message.text("content"), ""};
  if (!message.get("reasoning_content").is_null()) {
    answer.reasoning = message.text("reasoning_content");
    return answer;
  }
  const std::string_view content = answer.content;
  const std::size_t first = content.find(kClose);
  if (first == std::string_view::npos) {
    return answer;
  }
  std::string_view reasoning = strip_newlines_right(content.substr(0, first));
  if (const std::size_t open = reasoning.rfind(kOpen); open != std::string_view::npos) {
    reasoning.remove_prefix(open + kOpen.size());
  }
  const std::string_view said = content.substr(content.rfind(kClose) + kClose.size());
  return {std::string(strip_newlines_left(said)), std::string(strip_newlines_left(reasoning))};
}

void write_qwen3_answer(const ChatRequest& request,
                        const TemplateMessage& message,
                        std::size_t query,
                        ChatWriter& out) {
  const Answer answer = split_answer(message);
  const bool is_last = message.index + 1 == request.messages.size();
  begin_turn(message, out);
  out.write("\n");
  if (message.index > query && (is_last || !answer.reasoning.empty())) {
    out.write("<think>\n");
    out.write_content(strip_newlines_left(strip_newlines_right(answer.reasoning)));
    out.write("\n</think>\n\n");
    out.write_content(strip_newlines_left(answer.content));
  } else {
    out.write_content(answer.content);
  }
  bool first = true;
  if (is_true(message.get("tool_calls"))) {
    for (const ChatJson& call : message.get("tool_calls")) {
      out.write(first && answer.content.empty() ? "" : "\n");
      write_call(message, call, true, out);
      first = false;
    }
  }
  out.write("<|im_end|>\n");
}

}  // namespace

RenderedChat render_qwen2_5(const ChatRequest& request) {
  ChatWriter out;
  const TemplateMessage first = first_message(request);
  out.write("<|im_start|>system\n");
  if (first.get("role") == "system") {
    out.write_content(first.text("content"));
  } else {
    out.write(kQwen25System);
  }
  if (is_true(request.tools)) {
    out.write("\n\n");
    write_tools(request, out);
  } else {
    out.write("<|im_end|>\n");
  }
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const TemplateMessage message = message_at(request, i);
    const std::string role = message.role();
    const bool calls = is_true(message.get("tool_calls"));
    if (role == "user" || (role == "system" && i > 0) || (role == "assistant" && !calls)) {
      write_turn(message, out);
    } else if (role == "assistant") {
      write_qwen2_5_answer(message, out);
    } else if (role == "tool") {
      write_tool_result(request, message, out);
    }
  }
  if (request.add_generation_prompt) {
    out.write("<|im_start|>assistant\n");
  }
  return out.take();
}

RenderedChat render_qwen3(const ChatRequest& request) {
  ChatWriter out;
  const TemplateMessage first = first_message(request);
  const bool has_system = first.get("role") == "system";
  if (is_true(request.tools)) {
    out.write("<|im_start|>system\n");
    if (has_system) {
      out.write_content(first.text("content"));
      out.write("\n\n");
    }
    write_tools(request, out);
  } else if (has_system) {
    write_turn(first, out);
  }
  const std::size_t query = last_query(request);
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const TemplateMessage message = message_at(request, i);
    const std::string role = message.role();
    if (role == "user" || (role == "system" && i > 0)) {
      write_turn(message, out);
    } else if (role == "assistant") {
      write_qwen3_answer(request, message, query, out);
    } else if (role == "tool") {
      write_tool_result(request, message, out);
    }
  }
  if (request.add_generation_prompt) {
    out.write("<|im_start|>assistant\n");
    if (request.variables.contains("enable_thinking") &&
        request.variables.at("enable_thinking") == false) {
      out.write("<think>\n\n</think>\n\n");
    }
  }
  return out.take();
}

}  // namespace dreamgym
