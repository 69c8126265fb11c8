#include "dreamgym/data/importers/agent_text.h"

#include <optional>

#include "dreamgym/base/text.h"

namespace dreamgym::internal {

namespace {

/// Where a line begins with the word (blanks and '*' before it allowed), and where it goes on.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// @param lower  the text in lower case. @param from  position to search from.
std::optional<Mark> find_line_mark(std::string_view lower,
                                   std::string_view word,
                                   std::size_t from) {
  for (std::size_t at = lower.find(word, from); at != std::string_view::npos;
       at = lower.find(word, at + 1)) {
    const std::size_t line = at == 0 ? std::string_view::npos : lower.rfind('\n', at - 1);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (lower.substr(begin, at - begin).find_first_not_of(" \t*#") == std::string_view::npos) {
      return Mark{begin, at + word.size()};
    }
  }
  return std::nullopt;
}

std::optional<Mark> find_action_mark(std::string_view lower) {
  const auto action = find_line_mark(lower, "action:", 0);
  const auto act = find_line_mark(lower, "act:", 0);
  if (action && act) {
    return action->begin < act->begin ? action : act;
  }
  if (action || act) {
    return action ? action : act;
  }
  const std::size_t inside = lower.rfind(" action:");
  if (inside == std::string_view::npos) {
    return std::nullopt;
  }
  return Mark{inside, inside + std::string_view(" action:").size()};
}

std::string clean_thought(std::string_view thought) {
  std::string text(trim(thought));
  for (const std::string_view tag : {"<think>", "</think>"}) {
    text = replace_all(text, tag, "");
  }
  std::string_view view = trim(text);
  const std::string lower = to_lower(view);
  for (const std::string_view label : {"thought:", "think:"}) {
    if (lower.starts_with(label)) {
      view.remove_prefix(label.size());
      break;
    }
  }
  return std::string(trim(view));
}

/// "**Action:** go" and "Action: **go**" are common; the stars are no part of the action.
std::string_view clean_action(std::string_view action) {
  action = trim(action);
  if (action.starts_with("**")) {
    action.remove_prefix(2);
    if (action.ends_with("**")) {
      action.remove_suffix(2);
    }
  }
  return trim(action);
}

}  // namespace

AgentText parse_agent_text(std::string_view text) {
  const std::string lower = to_lower(text);
  if (const std::size_t open = lower.rfind("<action>"); open != std::string::npos) {
    const std::size_t begin = open + std::string_view("<action>").size();
    const std::size_t close = lower.find("</action>", begin);
    return {.thought = clean_thought(text.substr(0, open)),
            .action = std::string(trim(text.substr(begin, close - begin)))};
  }
  if (const auto mark = find_action_mark(lower)) {
    std::string_view action = text.substr(mark->end);
    if (const auto made_up = find_line_mark(lower, "observation:", mark->end)) {
      action = text.substr(mark->end, made_up->begin - mark->end);
    }
    return {.thought = clean_thought(text.substr(0, mark->begin)),
            .action = std::string(clean_action(action))};
  }
  if (const std::size_t end = lower.rfind("</think>"); end != std::string::npos) {
    const std::size_t begin = end + std::string_view("</think>").size();
    return {.thought = clean_thought(text.substr(0, begin)),
            .action = std::string(trim(text.substr(begin)))};
  }
  return {.thought = "", .action = std::string(trim(text))};
}

bool marks_an_action(std::string_view text) {
  const std::string lower = to_lower(text);
  return contains(lower, "<action>") || find_action_mark(lower).has_value();
}

}  // namespace dreamgym::internal
