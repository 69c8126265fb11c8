// Turns under way: many episodes ask for their next action, and each has it when it is there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/agent/token_agent.h"
#include "dreamgym/base/clock.h"
#include "dreamgym/llm/generation_queue.h"

namespace dreamgym {

/// Destroyed with turns under way it drops them; their episodes must not go on then.
/// Thread safety: none. Lifetime: agent and episodes under way outlive the queue; one queue of a model at a time.
class TurnQueue {
 public:
  struct Decided {
    std::uint64_t number = 0;
    Action action;
  };

  explicit TurnQueue(const TokenAgent& agent);

  /// @param number      of no turn under way.
  /// @param candidates  actions to choose from; none = write freely.
  void ask(std::uint64_t number, AgentEpisode& episode, std::span<const std::string> candidates);
  /// The actions that are there, by number; as GenerationQueue::collect().
  std::vector<Decided> collect(std::chrono::nanoseconds patience);
  /// All actions, by number, once the last of them is there.
  std::vector<Decided> finish();
  /// No turn is under way.
  [[nodiscard]] bool idle() const { return turns_.empty(); }
  /// Spent in the model so far.
  [[nodiscard]] double generation_seconds() const { return generation_seconds_; }

 private:
  struct Turn {
    AgentEpisode* episode = nullptr;
    std::vector<std::string> candidates;       // of a policy that thinks: for after its thought
    std::shared_ptr<const TokenTrie> choices;  // of the request under way
  };

  void submit(std::uint64_t number, Turn& turn, std::span<const std::string> candidates);
  /// Goes on with turns that have only thought so far.
  std::vector<Decided> take(std::vector<GenerationQueue::Ended> ended);

  const TokenAgent& agent_;
  std::unique_ptr<GenerationQueue> queue_;
  std::map<std::uint64_t, Turn> turns_;
  SteadyClock clock_;
  double generation_seconds_ = 0;
};

}  // namespace dreamgym
