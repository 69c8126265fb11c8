// Whether a dream's lead over its witness grows while a policy is trained in it: reward hacking.
//
// The gap is dreamed minus real success on a probe set, or the share of dreamed successes that a rule
// check can't confirm. What counts is not its size but its rise since the start: a policy that learns to
// please the model gains in the dream and nowhere else.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dreamgym {

struct GapTrendOptions {
  double max_rise = 0.15;      ///< allowed above the first gap, > 0
  std::size_t patience = 2;    ///< gaps in a row beyond it that make it an alarm, >= 1
};

class GapTrend {
 public:
  /// @throws Error kInvalidArgument outside the ranges above.
  explicit GapTrend(GapTrendOptions options);

  /// @param gap  finite, in [-1, 1].
  void observe(double gap);

  [[nodiscard]] std::size_t size() const { return gaps_.size(); }
  /// Latest minus first gap; 0 before the second one.
  [[nodiscard]] double rise() const;
  /// Slope of the least-squares line through all gaps, per observation; 0 before the second one.
  [[nodiscard]] double slope() const;
  /// The last `patience` gaps all lie more than max_rise above the first, and the slope is positive.
  [[nodiscard]] bool alarmed() const;

  /// Exact to the bit, one line; for checkpoints.
  [[nodiscard]] std::string save() const;
  /// @throws Error kCorrupt if it is not what save() writes.
  void restore(const std::string& state);

 private:
  GapTrendOptions options_;
  std::vector<double> gaps_;
};

}  // namespace dreamgym
