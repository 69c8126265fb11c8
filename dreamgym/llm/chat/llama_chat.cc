// Llama 3.1 and 3.2: a system block with dates, tools in the first user message, calls as JSON.
#include <algorithm>

#include "dreamgym/llm/internal/chat_renderers.h"
#include "dreamgym/llm/internal/python_json.h"

namespace dreamgym {
namespace {

constexpr std::string_view kDefaultDate = "26 Jul 2024";
constexpr std::string_view kCallFormat =
    "Respond in the format {\"name\": function name, \"parameters\": dictionary of argument name "
    "and its value}.Do not use variables.\n\n";

class LlamaChat {
 public:
  LlamaChat(const ChatRequest& request, bool builtin_tools)
      : request_(request),
        tools_(request.variables.contains("custom_tools") ? request.variables.at("custom_tools")
                                                          : request.tools),
        builtin_tools_(builtin_tools && request.variables.contains("builtin_tools")) {}

  RenderedChat render() {
    const bool tools_in_user_message = !request_.variables.contains("tools_in_user_message") ||
                                       is_true(request_.variables.at("tools_in_user_message"));
    std::size_t next = write_system(tools_in_user_message);
    if (tools_in_user_message && !tools_.is_null()) {
      write_first_user_message(next++);
    }
    for (; next < request_.messages.size(); ++next) {
      write_message(message_at(request_, next));
    }
    if (request_.add_generation_prompt) {
      write_header("assistant");
    }
    return out_.take();
  }

 private:
  void write_header(std::string_view role) {
    out_.write("<|start_header_id|>");
    out_.write(role);
    out_.write("<|end_header_id|>\n\n");
  }

  void write_tools() {
    for (const ChatJson& tool : tools_) {
      out_.write_content(python_json(tool, 4));
      out_.write("\n\n");
    }
  }

  /// Returns the index of the first message after the system message.
  std::size_t write_system(bool tools_in_user_message) {
    const TemplateMessage first = first_message(request_);
    const bool has_system = first.get("role") == "system";
    out_.write(text_variable(request_, "bos_token", "<|begin_of_text|>"));
    write_header("system");
    if (builtin_tools_ || !tools_.is_null()) {
      out_.write("Environment: ipython\n");
    }
    if (builtin_tools_) {
      write_builtin_tools();
    }
    out_.write("Cutting Knowledge Date: December 2023\nToday Date: ");
    out_.write_content(text_variable(request_, "date_string", kDefaultDate));
    out_.write("\n\n");
    if (!tools_.is_null() && !tools_in_user_message) {
      out_.write(
          "You have access to the following functions. To call a function, please respond with "
          "JSON for a function call.");
      out_.write(kCallFormat);
      write_tools();
    }
    if (has_system) {
      out_.write_content(strip(first.printed("content")));
    }
    out_.write("<|eot_id|>");
    return has_system ? 1 : 0;
  }

  void write_builtin_tools() {
    out_.write("Tools: ");
    bool first = true;
    for (const ChatJson& tool : request_.variables.at("builtin_tools")) {
      if (tool != "code_interpreter") {
        out_.write(first ? "" : ", ");
        out_.write_content(tool.is_string() ? tool.get<std::string>() : python_json(tool));
        first = false;
      }
    }
    out_.write("\n\n");
  }

  void write_first_user_message(std::size_t index) {
    if (index >= request_.messages.size()) {
      first_message(request_).fail(
          "tools go into the first user message, and there is no user message");
    }
    write_header("user");
    out_.write(
        "Given the following functions, please respond with a JSON for a function call with its "
        "proper arguments that best answers the given prompt.\n\n");
    out_.write(kCallFormat);
    write_tools();
    out_.write_content(strip(message_at(request_, index).printed("content")));
    out_.write("<|eot_id|>");
  }

  void write_message(const TemplateMessage& message) {
    if (message.has("tool_calls")) {
      write_call(message);
      return;
    }
    const std::string role = message.role();
    if (role != "tool" && role != "ipython") {
      out_.write("<|start_header_id|>");
      out_.write_content(role);
      out_.write("<|end_header_id|>\n\n");
      out_.write_content(strip(message.printed("content")));
    } else {
      write_header("ipython");
      const ChatJson& content = message.get("content");
      const bool as_json = content.is_structured() || content.is_string();
      out_.write_content(as_json ? python_json(content) : message.printed("content"));
    }
    out_.write("<|eot_id|>");
  }

  void write_call(const TemplateMessage& message) {
    const ChatJson& calls = message.get("tool_calls");
    if (!calls.is_array() || calls.size() != 1 || !calls[0].is_object() ||
        !calls[0].contains("function")) {
      message.fail("this model supports one tool call in a message, given as a function");
    }
    const ChatJson& call = calls[0].at("function");
    const std::string name = text_member(message, call, "name");
    if (!call.contains("arguments")) {
      message.fail("the tool call has no arguments");
    }
    write_header("assistant");
    if (is_builtin(name)) {
      write_builtin_call(message, name, call.at("arguments"));
    } else {
      out_.write("{\"name\": \"");
      out_.write_content(name);
      out_.write("\", \"parameters\": ");
      out_.write_content(python_json(call.at("arguments")));
      out_.write("}");
    }
    out_.write(builtin_tools_ ? "<|eom_id|>" : "<|eot_id|>");
  }

  [[nodiscard]] bool is_builtin(const std::string& name) const {
    if (!builtin_tools_) {
      return false;
    }
    const ChatJson& tools = request_.variables.at("builtin_tools");
    return std::ranges::find(tools, ChatJson(name)) != tools.end();
  }

  void write_builtin_call(const TemplateMessage& message,
                          const std::string& name,
                          const ChatJson& arguments) {
    if (!arguments.is_object()) {
      message.fail("the arguments of a built-in tool must be named");
    }
    out_.write("<|python_tag|>");
    out_.write_content(name);
    out_.write(".call(");
    bool first = true;
    for (const auto& [key, value] : arguments.items()) {
      if (!value.is_string()) {
        message.fail("the argument \"" + key + "\" of a built-in tool must be text");
      }
      out_.write(first ? "" : ", ");
      out_.write_content(key);
      out_.write("=\"");
      out_.write_content(value.get<std::string>());
      out_.write("\"");
      first = false;
    }
    out_.write(")");
  }

  const ChatRequest& request_;
  const ChatJson& tools_;
  bool builtin_tools_;
  ChatWriter out_;
};

}  // namespace

RenderedChat render_llama3_tools(const ChatRequest& request, bool builtin_tools) {
  return LlamaChat(request, builtin_tools).render();
}

}  // namespace dreamgym
