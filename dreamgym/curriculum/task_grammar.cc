#include "dreamgym/curriculum/task_grammar.h"

#include <fmt/format.h>

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::size_t kFewFillers = 20;    // of a slot: too few to say what it can't hold
constexpr double kHardlyAnythingNew = 0.05;

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

std::string without(std::string_view text, std::string_view instruction) {
  return instruction.empty() ? std::string(text) : replace_all(std::string(text), instruction, "");
}

}  // namespace

std::string task_place(const Task& task) {
  return without(task.settings.at(task_settings::kFirstObservation), task.instruction);
}

TaskGrammar::TaskGrammar(const std::vector<Task>& tasks,
                         const std::vector<std::string>& names,
                         std::span<const Trajectory> stories)
    : names_(names.begin(), names.end()) {
  for (const Task& task : tasks) {
    const Parsed parsed = parse(task.instruction);
    std::vector<Slot>& slots = frames_[parsed.frame];
    slots.resize(parsed.fillers.size());
    if (!task.settings.contains(task_settings::kFirstObservation)) {
      continue;
    }
    const auto visible = words_of(task_place(task));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      ++slots[i].fillers[parsed.fillers[i]];
      slots[i].always_visible &= visible.contains(parsed.fillers[i]);
    }
  }
  for (const Trajectory& story : stories) {
    if (story.steps.empty()) {
      continue;
    }
    std::set<std::string>& seen =
        seen_[without(story.steps.front().observation.text, story.task.instruction)];
    const auto look = [&](std::string_view text) {
      for (const auto& word : words_of(without(text, story.task.instruction))) {
        if (names_.contains(word)) {
          seen.insert(word);
        }
      }
    };
    for (const Transition& step : story.steps) {
      look(step.observation.text);
    }
    look(story.steps.back().next_observation.text);
  }
}

// Source: Good 1953: what was seen once, as a share of all, is how likely the next is a new one.
bool TaskGrammar::Slot::closed() const {
  std::size_t seen = 0;
  std::size_t once = 0;
  for (const auto& [name, count] : fillers) {
    seen += count;
    once += count == 1 ? 1 : 0;
  }
  return seen >= kFewFillers && static_cast<double>(once) < kHardlyAnythingNew * static_cast<double>(seen);
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
                                                  const Task& seed) const {
  const Parsed parsed = parse(instruction);
  const auto frame = frames_.find(parsed.frame);
  if (frame == frames_.end()) {
    return Unexpected<std::string>("no known task is worded like this: " + parsed.frame);
  }
  const std::string place = task_place(seed);
  const auto visible = words_of(place);
  const auto known = seen_.find(place);
  if (known == seen_.end() && !seen_.empty()) {
    return Unexpected<std::string>("nobody has been here");
  }
  for (std::size_t i = 0; i < parsed.fillers.size(); ++i) {
    const Slot& slot = frame->second[i];
    if (slot.always_visible && !slot.fillers.empty() && !visible.contains(parsed.fillers[i])) {
      return Unexpected<std::string>(fmt::format("there is no {} here", parsed.fillers[i]));
    }
    if (slot.closed() && !slot.fillers.contains(parsed.fillers[i])) {
      return Unexpected<std::string>(fmt::format("no known task has a {} there", parsed.fillers[i]));
    }
    if (known != seen_.end() && !known->second.contains(parsed.fillers[i])) {
      return Unexpected<std::string>(fmt::format("nobody has seen a {} here", parsed.fillers[i]));
    }
  }
  return {};
}

}  // namespace dreamgym
