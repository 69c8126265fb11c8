// What a task asks for, and its sentence.
//
// Six types; two templates each (reference: alfworld's grammar templates @ ca981941).
// Thread safety: values and pure functions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace dreamgym::alfworld {

enum class TaskType { kPlace, kLight, kClean, kHeat, kCool, kTwo };
inline constexpr std::array kTaskTypes = {TaskType::kPlace,
                                          TaskType::kLight,
                                          TaskType::kClean,
                                          TaskType::kHeat,
                                          TaskType::kCool,
                                          TaskType::kTwo};

/// ALFRED's name, e.g. "pick_heat_then_place_in_recep".
std::string_view task_type_name(TaskType type);
std::optional<TaskType> task_type_from_name(std::string_view name);
/// "clean", "hot", "cool"; "" for the types without a treatment.
std::string_view state_word(TaskType type);
/// "clean", "heat", "cool"; "" for the types without a treatment.
std::string_view treatment_verb(TaskType type);

/// Types are lower-case words as in names, e.g. "mug", "sinkbasin", "desklamp".
struct Goal {
  TaskType type = TaskType::kPlace;
  std::string object;
  std::string receptacle;  ///< "" for kLight
  std::string lamp;        ///< "" but for kLight
  bool operator==(const Goal&) const = default;
};

/// One of the two sentences of its type, with the full stop.
/// @param variant  0 or 1.
std::string task_sentence(const Goal& goal, int variant);

/// Understands the sentences of all templates, with or without full stop and "Your task is to: ".
std::optional<Goal> parse_task_sentence(std::string_view sentence);

/// What a successful attempt states: "hot mug in cabinet", "two mug in cabinet",
/// "book under desklamp".
std::string wanted_text(const Goal& goal);

}  // namespace dreamgym::alfworld
