// A dream that can be asked for a step before the step has happened.
//
// propose() says what an action would lead to, commit() what it did lead to; step() is the two together. Whoever
// stands between them can put a better answer in the place of an unsure one (fallback_dream.h), or ask for every
// step of a real episode from its true history (eval/experience_fidelity.h).
// Thread safety: as EnvironmentBatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/env/environment.h"
#include "dreamgym/experience/recollection.h"
#include "dreamgym/experience/shown_facts.h"

namespace dreamgym {

class StepwiseDream : public EnvironmentBatch {
 public:
  /// What the actions would lead to in the named slots (distinct, running). The episodes stay where they are.
  virtual std::vector<StepResult> propose(std::span<const std::size_t> slots,
                                          std::span<const Action> actions) = 0;
  /// What the actions did lead to, in the same slots as proposed or in others; an end stops the episode.
  virtual void commit(std::span<const std::size_t> slots,
                      std::span<const Action> actions,
                      std::span<const StepResult> results) = 0;

  std::vector<StepResult> step(std::span<const std::size_t> slots,
                               std::span<const Action> actions) final {
    auto results = propose(slots, actions);
    commit(slots, actions, results);
    return results;
  }
};

/// Puts an episode into its slot; slots that come into being on the way hold none.
template <class Slot>
void put_in_slot(std::vector<Slot>& slots, std::size_t index, Slot slot) {
  slots.resize(std::max(slots.size(), index + 1));
  slots[index] = std::move(slot);
}

/// Keys of StepResult::info that dreams write.
namespace dream_info {
/// Why a proposal is none: whoever was asked can't say what this step of this episode leads to.
inline constexpr const char* kNoAnswer = "no_answer";
/// Who answered in the place of the dream that was unsure.
inline constexpr const char* kFallback = "fallback";
}  // namespace dream_info

/// What every dream keeps of an episode.
struct DreamedEpisode {
  bool running = false;
  Task task{};
  std::uint64_t world_seed = 0;  ///< of what is hidden: of the seed given, the task and its first observation
  std::string opening{};         ///< s_0
  std::string observation{};     ///< s_t
  std::vector<PastStep> past{};  ///< the whole episode
  ShownFacts shown{};

  /// The episode before its first step. Members of a group share what is hidden; other tasks of the same seed don't.
  /// @throws Error kInvalidArgument if the task has no first observation.
  static DreamedEpisode begin(const Task& task, std::uint64_t world_seed);
  /// One step more.
  void take(const Action& action, const StepResult& result);
};

}  // namespace dreamgym
