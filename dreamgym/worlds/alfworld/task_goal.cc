#include "dreamgym/worlds/alfworld/task_goal.h"

#include <fmt/format.h>

#include <vector>

#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {
namespace {

/// The template as its words; "{o}", "{r}" and "{t}" stand for one or more words.
struct Template {
  TaskType type;
  std::string_view text;
};

constexpr Template kTemplates[] = {
    {TaskType::kTwo, "put two {o} in {r}"},
    {TaskType::kTwo, "find two {o} and put them in {r}"},
    {TaskType::kClean, "put a clean {o} in {r}"},
    {TaskType::kClean, "clean some {o} and put it in {r}"},
    {TaskType::kHeat, "put a hot {o} in {r}"},
    {TaskType::kHeat, "heat some {o} and put it in {r}"},
    {TaskType::kCool, "put a cool {o} in {r}"},
    {TaskType::kCool, "cool some {o} and put it in {r}"},
    {TaskType::kLight, "look at {o} under the {t}"},
    {TaskType::kLight, "examine the {o} with the {t}"},
    {TaskType::kPlace, "put a {o} in {r}"},
    {TaskType::kPlace, "put some {o} on {r}"},
};

/// Matches "literal {x} literal {y}" from left to right; blanks in names are allowed, so that
/// sentences about other worlds' names also parse.
std::optional<Goal> match(const Template& pattern, std::string_view sentence) {
  Goal goal{.type = pattern.type, .object = {}, .receptacle = {}, .lamp = {}};
  const std::size_t first = pattern.text.find('{');
  const std::string_view middle =
      pattern.text.substr(first + 3, pattern.text.rfind('{') - first - 3);
  std::string_view rest = sentence;
  if (!consume_prefix(rest, pattern.text.substr(0, first))) {
    return std::nullopt;
  }
  const std::size_t cut = rest.find(middle);
  if (cut == std::string_view::npos || cut == 0 || cut + middle.size() >= rest.size()) {
    return std::nullopt;
  }
  goal.object = rest.substr(0, cut);
  std::string& place = goal.type == TaskType::kLight ? goal.lamp : goal.receptacle;
  place = rest.substr(cut + middle.size());
  return goal;
}

}  // namespace

std::string_view task_type_name(TaskType type) {
  switch (type) {
    case TaskType::kPlace:
      return "pick_and_place_simple";
    case TaskType::kLight:
      return "look_at_obj_in_light";
    case TaskType::kClean:
      return "pick_clean_then_place_in_recep";
    case TaskType::kHeat:
      return "pick_heat_then_place_in_recep";
    case TaskType::kCool:
      return "pick_cool_then_place_in_recep";
    case TaskType::kTwo:
      return "pick_two_obj_and_place";
  }
  return "";
}

std::optional<TaskType> task_type_from_name(std::string_view name) {
  for (const TaskType type : kTaskTypes) {
    if (task_type_name(type) == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string_view state_word(TaskType type) {
  return type == TaskType::kClean  ? "clean"
         : type == TaskType::kHeat ? "hot"
         : type == TaskType::kCool ? "cool"
                                   : "";
}

std::string_view treatment_verb(TaskType type) {
  return type == TaskType::kHeat ? "heat" : state_word(type);
}

std::string task_sentence(const Goal& goal, int variant) {
  int seen = 0;
  for (const Template& pattern : kTemplates) {
    if (pattern.type == goal.type && seen++ == variant) {
      std::string text = replace_all(pattern.text, "{o}", goal.object);
      text = replace_all(text, "{r}", goal.receptacle);
      return replace_all(text, "{t}", goal.lamp) + ".";
    }
  }
  return "";
}

std::optional<Goal> parse_task_sentence(std::string_view sentence) {
  sentence = trim(sentence);
  consume_prefix(sentence, "Your task is to: ");
  while (sentence.ends_with('.')) {
    sentence = trim(sentence.substr(0, sentence.size() - 1));
  }
  const std::string lower = to_lower(sentence);
  for (const Template& pattern : kTemplates) {
    if (auto goal = match(pattern, lower)) {
      return goal;
    }
  }
  return std::nullopt;
}

std::string wanted_text(const Goal& goal) {
  if (goal.type == TaskType::kLight) {
    return fmt::format("{} under {}", goal.object, goal.lamp);
  }
  const std::string_view word = goal.type == TaskType::kTwo ? "two" : state_word(goal.type);
  return fmt::format("{}{}{} in {}", word, word.empty() ? "" : " ", goal.object, goal.receptacle);
}

}  // namespace dreamgym::alfworld
