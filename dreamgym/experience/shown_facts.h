// Where an episode has shown things to be, as far as its traces and texts say: the record against which
// what the model says next is checked.
//
// Generic: a thing is a word and a number ("mug 1"); a place is a trace's "at"; what is there is a trace's
// "here", or what an observation with effect "new" or "again" names. No knowledge of a world. What was
// changed without a "here" is no longer known.
// Thread safety: as std::map.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {

class ShownFacts {
 public:
  /// Learns from one step.
  void observe(const ReasoningTrace& trace, std::string_view action, std::string_view observation);

  /// Whether a trace can be true: only things that the action names come into the hand, or to a place
  /// whose contents are known, or leave it; nothing is listed twice.
  [[nodiscard]] bool contradicts(const ReasoningTrace& trace, std::string_view action) const;

  /// Whether an observation can be true. Contents shown for the first time name nothing twice, nothing that
  /// lies elsewhere and nothing that is held; contents shown again name what is known to be there. Things of
  /// the action and the place itself don't count.
  [[nodiscard]] bool contradicts(const ReasoningTrace& trace,
                                 std::string_view action,
                                 std::string_view observation) const;

 private:
  using Things = std::set<std::string>;

  [[nodiscard]] bool is_elsewhere(const std::string& thing, std::string_view at) const;

  std::map<std::string, Things> contents_;  // by place
  std::optional<Things> held_;              // nothing before the first step
};

}  // namespace dreamgym
