#include "dreamgym/experience/internal/dreamed_task.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::experience_internal {

const std::string& first_observation(const Task& task) {
  const auto first = task.settings.find(task_settings::kFirstObservation);
  if (first == task.settings.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task '{}' has no first observation to dream from", task.id),
                "take tasks from imported trajectories, or set settings.first_observation");
  }
  return first->second;
}

}  // namespace dreamgym::experience_internal
