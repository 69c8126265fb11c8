// Teacher traces: why an action led to what it led to.
//
// Every transition the experience model learns from carries a reasoning trace. For the native
// worlds an exact explainer reads the engine's own causes; for logs without an engine one that
// reads the text does; a language model can, too (experience/teacher.h).
#pragma once

#include "dreamgym/data/types.h"

namespace dreamgym {

/// Thread safety: const members are reentrant.
class Explainer {
 public:
  virtual ~Explainer() = default;
  /// Fills reasoning_trace of every step (data/reasoning_trace.h's grammar).
  /// @throws Error kInvalidArgument if the trajectory is not of this world.
  virtual void explain(Trajectory& trajectory) const = 0;
};

}  // namespace dreamgym
