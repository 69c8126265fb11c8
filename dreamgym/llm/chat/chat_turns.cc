#include "dreamgym/llm/chat/chat_turns.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::string_view kOtherFormat =
    "choose one that only appends, e.g. chat_template = \"chatml\" for a model that reads ChatML";

ChatRequest request_with(std::string_view system, const nlohmann::ordered_json& variables) {
  ChatRequest request{.variables = variables, .add_generation_prompt = true};
  if (!system.empty()) {
    request.messages.push_back({{"role", "system"}, {"content", system}});
  }
  return request;
}

void add_turn(ChatRequest& request, const char* role, std::string_view content) {
  request.messages.push_back({{"role", role}, {"content", content}});
}

std::string between(const std::string& text, std::string_view left, std::string_view right) {
  const std::size_t begin = text.find(left) + left.size();
  return text.substr(begin, text.find(right) - begin);
}

// The part of a rendering before `end`, with its contents.
RenderedChat first_part(const RenderedChat& chat, std::size_t end) {
  RenderedChat part{chat.text.substr(0, end), {}};
  for (const TextSpan& span : chat.contents) {
    if (span.end <= end) {
      part.contents.push_back(span);
    }
  }
  return part;
}

}  // namespace

ChatTurns chat_turns(ChatTemplate kind,
                     std::string_view system,
                     const nlohmann::ordered_json& variables) {
  // Words that stand nowhere else, the user's and the assistant's in turn.
  constexpr std::array<std::string_view, 5> kSaid = {
      "QuestionOne", "AnswerOne", "QuestionTwo", "AnswerTwo", "QuestionThree"};
  ChatRequest request = request_with(system, variables);
  std::array<RenderedChat, 3> rendered;  // after each question
  for (std::size_t i = 0; i < kSaid.size(); ++i) {
    add_turn(request, i % 2 == 0 ? "user" : "assistant", kSaid[i]);
    if (i % 2 == 0) {
      rendered[i / 2] = render_chat(kind, request);
    }
  }
  const std::string& whole = rendered[2].text;
  ChatTurns turns;
  turns.opening = first_part(rendered[2], whole.find(kSaid[0]));
  turns.ask = between(whole, kSaid[0], kSaid[1]);
  turns.next = between(whole, kSaid[1], kSaid[2]);
  std::string expected = turns.opening.text;
  for (std::size_t i = 0; i < kSaid.size(); ++i) {
    expected += kSaid[i];
    expected += i % 2 == 0 ? turns.ask : turns.next;
    if (i % 2 == 0 && rendered[i / 2].text != expected) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("the chat template {} writes earlier turns anew when others follow, "
                              "so an episode would not be one sequence of tokens",
                              chat_template_name(kind)),
                  std::string(kOtherFormat));
    }
  }
  return turns;
}

std::string turn_in_the_past(ChatTemplate kind, const ChatTurns& turns, std::string_view said) {
  ChatRequest request{.add_generation_prompt = true};
  add_turn(request, "user", "Before");
  add_turn(request, "assistant", said);
  add_turn(request, "user", "After");
  const std::string text = render_chat(kind, request).text;
  const std::string before = "Before" + turns.ask;
  const std::string after = turns.next + "After" + turns.ask;
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos || !text.ends_with(after) ||
      begin + before.size() + after.size() > text.size()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the chat template {} does not write the reply \"{}\" as a turn of its own once another "
                            "turn follows",
                            chat_template_name(kind),
                            shorten(said, 80)),
                std::string(kOtherFormat));
  }
  return text.substr(begin + before.size(), text.size() - after.size() - begin - before.size());
}

bool keeps_turn(ChatTemplate kind, const ChatTurns& turns, std::string_view said) {
  const std::string kept = turn_in_the_past(kind, turns, said);
  return kept == said || kept == trim(said);
}

ThoughtMarks thought_marks(ChatTemplate kind) {
  if (kind == ChatTemplate::kQwen3) {
    return {"<think>\n", "</think>", "\n", "\n\n"};
  }
  return {"Thought:", "Action:", "\n", "\n"};
}

}  // namespace dreamgym
