// What a world itself knows about tasks that vary others: can they be done where they are set?
#pragma once

#include <string>

#include "dreamgym/base/expected.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

/// Thread safety: const members are reentrant.
class TaskReviser {
 public:
  virtual ~TaskReviser() = default;
  /// The task that `instruction` asks for in the place of `seed`: with the settings and first
  /// observation it needs; or why it can't be done there, in a line.
  [[nodiscard]] virtual Expected<Task, std::string> revise(
      const Task& seed, const std::string& instruction) const = 0;
};

}  // namespace dreamgym
