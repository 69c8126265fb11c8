// Goals drawn as the original draws them where no session number is named: by weight, from the
// stream that has just shuffled them.
//
// Quirk kept: a draw that falls into a goal's weight gives the goal behind it, so the first goal is
// never drawn and the last one takes two shares. Source: princeton-nlp/WebShop @ 64fa2a5,
// random_idx, SimServer. Thread safety: none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/worlds/webshop/goals.h"
#include "dreamgym/worlds/webshop/internal/python_random.h"

namespace dreamgym::webshop {

class GoalDraw {
 public:
  /// @throws Error kInvalidArgument if there is no goal.
  explicit GoalDraw(const Goals& goals);

  /// The session number of the next goal, as "limit_goals" draws.
  std::size_t next();
  /// The same after the ten letters of a session's name, as each reset() of the text environment
  /// draws; its constructor is the first.
  std::size_t next_reset();

 private:
  std::vector<double> sums_;  ///< [goals + 1] of the weights before
  PythonRandom random_;
};

/// The goal that a draw gives. @param sums  0, then the sums of the weights so far.
std::size_t random_index(std::span<const double> sums, PythonRandom& random);

}  // namespace dreamgym::webshop
