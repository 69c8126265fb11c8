#include "dreamgym/llm/chat/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/chat_renderers.h"

namespace dreamgym {
namespace {

/// Hash of the Jinja text without blanks, "\n" written out or not.
struct KnownTemplate {
  ChatTemplate kind;
  std::string_view name;
  std::uint64_t fingerprint;
};

constexpr std::array kKnown{
    KnownTemplate{ChatTemplate::kChatMl, "chatml", 0xad70d358c7c293caU},
    KnownTemplate{ChatTemplate::kSmolLm2, "smollm2", 0x07193ef762f1c148U},
    KnownTemplate{ChatTemplate::kLlama3, "llama3", 0xa56bba665e41750cU},
    KnownTemplate{ChatTemplate::kLlama31, "llama3_1", 0xb5432f062fe16f14U},
    KnownTemplate{ChatTemplate::kLlama32, "llama3_2", 0x5f98ab0df2fd8306U},
    KnownTemplate{ChatTemplate::kQwen25, "qwen2_5", 0x1a283b297d5bfbd3U},
    KnownTemplate{ChatTemplate::kQwen3, "qwen3", 0xafcafcaf8440e436U},
};

constexpr std::string_view kSmolLm2System =
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const KnownTemplate& known : kKnown) {
    names.emplace_back(known.name);
  }
  return names;
}

std::uint64_t fingerprint(std::string_view jinja) {
  std::string text = replace_all(jinja, "\\n", "");
  std::erase_if(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return hash_text(text);
}

}  // namespace

std::string_view chat_template_name(ChatTemplate kind) {
  return std::ranges::find(kKnown, kind, &KnownTemplate::kind)->name;
}

ChatTemplate chat_template_named(std::string_view name) {
  const auto* const found = std::ranges::find(kKnown, name, &KnownTemplate::name);
  if (found == kKnown.end()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("no chat template is called \"{}\"; known: {}",
                            shorten(name, 60),
                            join(known_names(), ", ")),
                "did you mean \"" + nearest(name, known_names()) + "\"?");
  }
  return found->kind;
}

ChatTemplate recognise_chat_template(std::string_view jinja, const std::string& origin) {
  const std::uint64_t print = fingerprint(jinja);
  const auto* const found = std::ranges::find(kKnown, print, &KnownTemplate::fingerprint);
  if (found == kKnown.end()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: unknown chat template {} ({} bytes, begins \"{}\"); known: {}",
                            origin,
                            to_hex(print),
                            jinja.size(),
                            shorten(trim(jinja), 120),
                            join(known_names(), ", ")),
                "if the model follows one of these, say so: chat_template = \"chatml\"");
  }
  return found->kind;
}

RenderedChat render_chat(ChatTemplate kind, const ChatRequest& request) {
  if (!request.messages.is_array() || !request.variables.is_object() ||
      !(request.tools.is_null() || request.tools.is_array())) {
    throw Error(ErrorKind::kInvalidArgument,
                "a chat needs a list of messages, a list of tools or none, and named variables");
  }
  switch (kind) {
    case ChatTemplate::kChatMl:
      return render_chatml(request, "");
    case ChatTemplate::kSmolLm2:
      return render_chatml(request, kSmolLm2System);
    case ChatTemplate::kLlama3:
      return render_llama3(request);
    case ChatTemplate::kLlama31:
      return render_llama3_tools(request, true);
    case ChatTemplate::kLlama32:
      return render_llama3_tools(request, false);
    case ChatTemplate::kQwen25:
      return render_qwen2_5(request);
    case ChatTemplate::kQwen3:
      return render_qwen3(request);
  }
  return {};
}

std::optional<std::size_t> first_rewritten_turn(ChatTemplate kind, const ChatRequest& request) {
  const std::string whole = render_chat(kind, request).text;
  ChatRequest part = request;
  part.messages = nlohmann::ordered_json::array();
  for (std::size_t n = 1; n < request.messages.size(); ++n) {
    part.messages.push_back(request.messages[n - 1]);
    const TemplateMessage next = message_at(request, n);
    part.add_generation_prompt = next.role() == "assistant";
    // A system message alone is no chat for templates that want a user's first.
    if (n == 1 && message_at(part, 0).get("role") == "system") {
      continue;
    }
    if (!whole.starts_with(render_chat(kind, part).text)) {
      return n;
    }
  }
  return std::nullopt;
}

}  // namespace dreamgym
