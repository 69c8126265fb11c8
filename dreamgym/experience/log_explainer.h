// Reasoning traces for logs of a tool nobody has rules for.
//
// Reads only the text of the episode: whether the action shows something new, repeats a reply seen
// before or changed nothing; and, at the end, what was wanted (the task's sentence) and what was
// reached (the same sentence after a success, "not yet" otherwise). Less exact than a world's own
// explainer or a language model as teacher; enough to give the trace its place in the loss.
// Thread safety: reentrant.
#pragma once

#include "dreamgym/env/explainer.h"

namespace dreamgym {

class LogExplainer final : public Explainer {
 public:
  /// Steps that carry a trace already keep it.
  void explain(Trajectory& trajectory) const override;
};

}  // namespace dreamgym
