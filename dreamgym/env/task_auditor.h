// Whether a task that varies another one can be done in that one's place, by the world's own engine.
#pragma once

#include <string>

#include "dreamgym/base/expected.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

/// Thread safety: const members are reentrant.
class TaskAuditor {
 public:
  virtual ~TaskAuditor() = default;
  /// Nothing wrong, or why `variation` can't be done in the place of `original`, a task of the world, in a line.
  [[nodiscard]] virtual Expected<void, std::string> audit(const Task& variation, const Task& original) const = 0;
};

}  // namespace dreamgym
