// Where an episode has shown things to be, as far as its traces and texts say: the record against which
// invented contents are checked.
//
// Generic: a thing is a word and a number ("mug 1"); a place is a trace's "at"; what is there is a trace's
// "here", or what an observation with effect "new" or "again" names. No knowledge of a world.
// Thread safety: as std::map.
#pragma once

#include <map>
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

  /// A thing that contents shown for the first time can't name: one named twice, one that lies elsewhere, or
  /// one that is held; "" if there is none. Things of the action and the place itself don't count.
  [[nodiscard]] std::string contradiction(const ReasoningTrace& trace,
                                          std::string_view action,
                                          std::string_view observation) const;

 private:
  std::map<std::string, std::set<std::string>> contents_;  // by place
  std::vector<std::string> held_;
};

}  // namespace dreamgym
