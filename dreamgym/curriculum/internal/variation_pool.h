// From what a model proposed to the tasks that vary the seeds: revised, told apart, named.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dreamgym/curriculum/task_generator.h"

namespace dreamgym::curriculum_internal {

/// Takes proposals one by one and keeps what is new. Thread safety: none.
class VariationPool {
 public:
  /// @param revise, counts  borrowed.
  VariationPool(const TaskRevision& revise, TaskGeneratorCounts& counts) : revise_(revise), counts_(counts) {}

  /// The task that the instruction asks for in the parent's place; nothing, counted, if it can't be done there or
  /// is known: equal to the parent or to what was accepted before in that place.
  std::optional<Task> accept(const Task& parent, std::string_view proposed, std::uint64_t world_seed);

 private:
  const TaskRevision& revise_;
  TaskGeneratorCounts& counts_;
  std::set<std::pair<std::string, std::string>> seen_;  // (place, instruction)
};

}  // namespace dreamgym::curriculum_internal
