// A dream that asks someone else where it is unsure: reality (reality_witness.h), or a second model.
//
// Every step is dreamed by the first. Where its confidence is below a threshold the second is asked for the same
// step of the same episode, within a budget; its answer is what happens then, for both. Contents that nobody has
// seen are invented on purpose, so their low probability is no doubt: those steps are asked about by option only.
// Source: the fallback of the confidence (eval/calibration.h says what a confidence is worth).
// Thread safety: as EnvironmentBatch.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/experience/stepwise_dream.h"

namespace dreamgym {

struct FallbackOptions {
  double below = 0.5;            ///< confidence of the first; a step without one is taken as sure
  bool ask_about_hidden = false; ///< steps whose trace says "new" as well
  bool most_confident = false;   ///< a mixture: the second's answer counts only if it is the more confident one
  std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();  ///< questions in all
};

struct FallbackCounters {
  std::uint64_t steps = 0;
  std::uint64_t unsure = 0;      ///< below the threshold
  std::uint64_t asked = 0;       ///< of these, asked about: the rest came after the budget
  std::uint64_t unanswered = 0;  ///< the second did not know either, or did not answer
  std::uint64_t overruled = 0;   ///< the second's answer is what happened
  std::uint64_t changed = 0;     ///< of these, observation or reward differ from the first's
};

class FallbackDream final : public StepwiseDream {
 public:
  /// @param first, second  borrowed; only this object may drive them.
  /// @param name           of the second, noted with each step it answers.
  FallbackDream(StepwiseDream& first, StepwiseDream& second, std::string name, FallbackOptions options);

  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  void end_all() override;
  std::vector<StepResult> propose(std::span<const std::size_t> slots, std::span<const Action> actions) override;
  void commit(std::span<const std::size_t> slots,
              std::span<const Action> actions,
              std::span<const StepResult> results) override;

  [[nodiscard]] const FallbackCounters& counters() const { return counters_; }
  /// Questions asked so far, for a checkpoint, and back.
  void set_asked(std::uint64_t asked) { counters_.asked = asked; }

 private:
  [[nodiscard]] bool is_unsure(const StepResult& result) const;
  void put(StepResult answer, StepResult& result);

  StepwiseDream& first_;
  StepwiseDream& second_;
  std::string name_;
  FallbackOptions options_;
  FallbackCounters counters_;
};

}  // namespace dreamgym
