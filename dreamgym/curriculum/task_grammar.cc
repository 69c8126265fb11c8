#include "dreamgym/curriculum/task_grammar.h"

#include <fmt/format.h>

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Calls visit(piece, is_word) over a text cut into words and what lies between them.
template <class F>
void for_each_piece(std::string_view text, const F& visit) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin + 1;
    const bool word = is_letter(text[begin]);
    while (end < text.size() && is_letter(text[end]) == word) {
      ++end;
    }
    visit(text.substr(begin, end - begin), word);
    begin = end;
  }
}

std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> out;
  for_each_piece(text, [&](std::string_view piece, bool word) {
    if (word) {
      out.emplace(piece);
    }
  });
  return out;
}

}  // namespace

TaskGrammar::TaskGrammar(const std::vector<Task>& tasks, const std::vector<std::string>& names)
    : names_(names.begin(), names.end()) {
  for (const Task& task : tasks) {
    const Parsed parsed = parse(task.instruction);
    std::vector<Slot>& slots = frames_[parsed.frame];
    slots.resize(parsed.fillers.size());
    const auto first = task.settings.find(task_settings::kFirstObservation);
    if (first == task.settings.end()) {
      continue;
    }
    const auto visible = words_of(first->second);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].fillers.insert(parsed.fillers[i]);
      slots[i].always_visible &= visible.contains(parsed.fillers[i]);
    }
  }
}

TaskGrammar::Parsed TaskGrammar::parse(std::string_view instruction) const {
  Parsed parsed;
  for_each_piece(trim(instruction), [&](std::string_view piece, bool word) {
    if (word && names_.contains(std::string(piece))) {
      parsed.frame += "{}";
      parsed.fillers.emplace_back(piece);
    } else {
      parsed.frame += piece;
    }
  });
  return parsed;
}

Expected<void, std::string> TaskGrammar::validate(std::string_view instruction,
                                                  std::string_view first_observation) const {
  const Parsed parsed = parse(instruction);
  const auto frame = frames_.find(parsed.frame);
  if (frame == frames_.end()) {
    return Unexpected<std::string>("no known task is worded like this: " + parsed.frame);
  }
  const auto visible = words_of(first_observation);
  for (std::size_t i = 0; i < parsed.fillers.size(); ++i) {
    const Slot& slot = frame->second[i];
    if (slot.always_visible && !slot.fillers.empty() && !visible.contains(parsed.fillers[i])) {
      return Unexpected<std::string>(fmt::format("there is no {} here", parsed.fillers[i]));
    }
  }
  return {};
}

}  // namespace dreamgym
