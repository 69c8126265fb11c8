// The promise every environment keeps, real or dreamed.
//
// reset() starts an episode, step() takes one action. The split into terminated (the world ended
// the episode) and truncated (a limit did) is Gymnasium's. A nonsensical action is no error: it is
// a normal step with the environment's own reply and zero reward. Stepping before reset() or after
// the end throws LogicError. The same task, seed and actions give the same trajectory. An environment
// that can't answer for reasons of infrastructure truncates the episode and says so in info
// (transition_info::kInfrastructureError): that is never a zero reward.
// tests/contract/environment_contract.h holds every implementation to this.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

struct StepResult {
  Observation observation{};
  double reward = 0;                          ///< of this step, in the world's own scale
  bool terminated = false;                    ///< the world ended the episode
  bool truncated = false;                     ///< a limit cut it
  bool action_valid = true;                   ///< the environment understood the action
  std::string reasoning_trace{};              ///< of the experience model; "" in a real world
  std::vector<std::string> demonstrations{};  ///< ids retrieved by the experience model
  std::optional<double> confidence{};         ///< of the experience model, in [0, 1]
  std::map<std::string, std::string> info{};  ///< e.g. {"won": "true", "score": "1"}
};

/// One episode at a time.
/// Thread safety: none; one thread per object. Objects may share immutable data.
class Environment {
 public:
  virtual ~Environment() = default;
  /// Starts the episode of `task`; `seed` feeds whatever the world draws at random.
  /// @throws Error kNotFound or kUnsupported if the task does not belong here.
  virtual Observation reset(const Task& task, std::uint64_t seed) = 0;
  virtual StepResult step(const Action& action) = 0;
};

/// What came of what was submitted in a slot: an action's result, or an episode's first observation (and
/// nothing else).
struct SlotAnswer {
  std::size_t slot = 0;
  StepResult result{};
};

/// Many episodes side by side, numbered by slot, so that an environment that is a language model
/// can answer all of them in one batch. A slot's next episode may start while others go on.
/// Thread safety: none; implementations may use threads inside. Results never depend on how
/// episodes are batched: slot i behaves exactly as an Environment of its own.
class EnvironmentBatch {
 public:
  virtual ~EnvironmentBatch() = default;
  /// Starts tasks.size() episodes in slots 0.. ; ends all that were running.
  std::vector<Observation> reset(std::span<const Task> tasks, std::span<const std::uint64_t> seeds);
  /// Starts an episode in each of the named slots (distinct); what ran there is over, other slots go on.
  virtual std::vector<Observation> start(std::span<const std::size_t> slots,
                                         std::span<const Task> tasks,
                                         std::span<const std::uint64_t> seeds) = 0;
  /// Ends whatever runs and forgets it.
  virtual void end_all() = 0;
  /// Takes one action in each of the named slots (distinct, running).
  virtual std::vector<StepResult> step(std::span<const std::size_t> slots,
                                       std::span<const Action> actions) = 0;
  /// As start() and step(), but the answers are taken with collect(), so that a slow slot holds up nobody. Until
  /// its answer is taken a slot must not be started or stepped again. By default all is answered here.
  virtual void submit_start(std::span<const std::size_t> slots,
                            std::span<const Task> tasks,
                            std::span<const std::uint64_t> seeds);
  virtual void submit(std::span<const std::size_t> slots, std::span<const Action> actions);
  /// Whether what was submitted is worked on while the caller does something else. Where it is not, the caller had
  /// better submit many slots at once.
  [[nodiscard]] virtual bool answers_later() const { return false; }
  /// The answers there are to what was submitted, by slot; waits up to `patience` for the first. Nothing if none is
  /// due. @throws what start() and step() throw.
  virtual std::vector<SlotAnswer> collect(std::chrono::nanoseconds patience);
  /// Why a slot's episode can't go on although nobody ended it (the machine behind it failed, which
  /// is no failure of the agent); "" while it can. The slot's last answer then means nothing.
  [[nodiscard]] virtual std::string failure(std::size_t /*slot*/) const { return {}; }

 private:
  std::vector<SlotAnswer> answered_;
};

}  // namespace dreamgym
