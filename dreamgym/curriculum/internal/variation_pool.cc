#include "dreamgym/curriculum/internal/variation_pool.h"

#include <fmt/format.h>

#include "dreamgym/base/text.h"

namespace dreamgym::curriculum_internal {

std::optional<Task> VariationPool::accept(const Task& parent,
                                          std::string_view proposed,
                                          std::uint64_t world_seed) {
  const std::string instruction(trim(proposed));
  auto revised = revise_(parent, instruction);
  if (!revised) {
    ++counts_.malformed;
    return std::nullopt;
  }
  const std::string& place = revised->settings.at(task_settings::kFirstObservation);
  if (instruction == parent.instruction || !seen_.emplace(place, instruction).second) {
    ++counts_.duplicates;
    return std::nullopt;
  }
  Task task = std::move(*revised);
  task.parent_task = parent.id;
  task.instruction = instruction;
  task.source = "variation";
  task.id = fmt::format("{}~{}", parent.id, to_hex(hash_text(instruction)).substr(0, 8));
  task.seed = world_seed;
  return task;
}

}  // namespace dreamgym::curriculum_internal
