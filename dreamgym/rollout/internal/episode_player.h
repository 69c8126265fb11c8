// Episodes side by side, each in a place of its own: who is ready asks for an action, who has one acts, and a place
// that an ended episode leaves is taken by the next at once.
//
// While some wait for their environment others are thought about, if both can be: an environment that answers later,
// a model that answers one by one. Where the environment answers at once (a dream) all that are ready act together,
// so that it can answer them in one batch.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/agent/turn_queue.h"
#include "dreamgym/base/clock.h"
#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym::rollout_internal {

/// Of one rollout.
struct Stage {
  TokenAgent& agent;
  EnvironmentBatch& environment;
  const ActionMapperFactory* mappers;  ///< null = candidates from the observation
  const RolloutOptions& options;
  std::span<const Task> tasks;         ///< by the episodes' numbers
  const Rng& rng;
  std::chrono::nanoseconds start;      ///< of the rollout, by the machine's monotonic clock
};

/// Thread safety: none. Lifetime: all references are borrowed.
class EpisodePlayer {
 public:
  /// @param ended  called with an episode's number and what it left behind, as they end.
  EpisodePlayer(const Stage& stage, RolloutCost& cost, std::function<void(std::size_t, Episode)> ended);

  /// Plays the episodes of these numbers to their ends.
  void play(std::span<const std::size_t> numbers);

 private:
  struct Place {
    bool taken = false;
    std::size_t number = 0;
    std::chrono::nanoseconds start{};
    bool begun = false;  // its first observation is there
    Observation current;
    Trajectory story;
    AgentEpisode state;
    std::unique_ptr<ActionMapper> mapper;
    Action action;  // while its answer is due
  };
  using Slots = std::vector<std::size_t>;

  /// True if an episode has begun.
  bool begin_in_free_places();
  void take_place(std::size_t slot, std::size_t number);
  void ask();
  std::vector<TurnQueue::Decided> decide();
  void act(std::vector<TurnQueue::Decided> decided);
  void take_answers();
  void begin(std::size_t slot, Observation first);
  void record(std::size_t slot, StepResult result);
  void fail(std::size_t slot, const std::string& why);
  void lose(Trajectory& story, const std::string& why);
  void end(std::size_t slot);
  [[nodiscard]] std::string failure_of(std::size_t slot, const StepResult& result) const;
  [[nodiscard]] bool out_of_time() const;
  [[nodiscard]] std::string no_time_left() const;
  [[nodiscard]] Trajectory story_of(std::size_t number) const;
  [[nodiscard]] std::string names(const Slots& slots) const;

  Stage stage_;
  RolloutCost& cost_;
  std::function<void(std::size_t, Episode)> ended_;
  TurnQueue turns_;
  SteadyClock clock_;
  std::vector<Place> places_;             // by slot
  std::span<const std::size_t> waiting_;  // numbers of the episodes that have no place yet
  Slots ready_;                           // whose turn it is and who have not asked
  Slots asked_;                           // who wait for the policy
  Slots due_;                             // who wait for their environment
  std::optional<Watchdog::Wait> policy_wait_;
};

}  // namespace dreamgym::rollout_internal
