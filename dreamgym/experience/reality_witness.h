// Reality as a second opinion on a dream: what a step really leads to, as long as the episode is a real one.
//
// A dreamed episode is real so far if reality, given the same task, seed and actions, has shown the same. Only then
// can reality be asked what comes next; where the dream has gone another way (it invents what is hidden) the
// proposal says so and is none. The actions taken since reality was last asked are taken there first, and each
// counts as a real step.
// Thread safety: as EnvironmentBatch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/experience/stepwise_dream.h"

namespace dreamgym {

class RealityWitness final : public StepwiseDream {
 public:
  using Factory = std::function<std::unique_ptr<Environment>()>;
  /// Gives the steps of a real episode their reasoning traces.
  using Explain = std::function<void(Trajectory&)>;

  /// @param explain      may be empty: then answers have no trace.
  /// @param step_budget  real steps, never exceeded.
  RealityWitness(Factory make,
                 Explain explain,
                 std::uint64_t step_budget = std::numeric_limits<std::uint64_t>::max());

  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override;
  void end_all() override;
  std::vector<StepResult> propose(std::span<const std::size_t> slots, std::span<const Action> actions) override;
  void commit(std::span<const std::size_t> slots,
              std::span<const Action> actions,
              std::span<const StepResult> results) override;

  [[nodiscard]] std::uint64_t real_steps() const { return real_steps_; }
  void set_real_steps(std::uint64_t steps) { real_steps_ = steps; }

 private:
  struct Slot {
    Trajectory story;              // as it happened: task, seed, steps so far
    std::string opening;
    std::unique_ptr<Environment> environment;  // null until it is asked, and once the ways have parted
    std::size_t taken = 0;         // steps of the story it has been led through
    std::optional<StepResult> ahead;  // what it has answered to the action about to be taken
    std::string parted;            // why the episode is no real one; "" while it is, as far as known
  };

  StepResult answer(Slot& slot, const Action& action);
  /// Brings the environment to where the story is; false with the reason in `parted` or the result.
  [[nodiscard]] bool follow(Slot& slot, std::string& reason);
  void explain(const Slot& slot, const Action& action, StepResult& result) const;

  Factory make_;
  Explain explain_;
  std::uint64_t step_budget_;
  std::uint64_t real_steps_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace dreamgym
