// The agent's side of the conversation as tokens.
//
// <|agent|><|task|>instruction<|state|>first observation<|action|>a<|observation|>o<|action|>...
// The sampled part of a turn is the action and the <|observation|> marker that closes it. The whole
// episode is one such text that only grows; with a window of n steps each turn has a text of its own,
// which begins n steps back as if the episode had begun there.
// Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/llm/training_sequence.h"

namespace dreamgym {

/// Steps of history from which on the agent reads the whole episode.
inline constexpr std::size_t kWholeEpisode = 1'000'000;

/// A turn that lies behind, as a window shows it.
struct PastTurn {
  std::string observation;      ///< what was acted on
  std::vector<TokenId> action;  ///< as it was sampled, closing marker included
};

class AgentPrompt {
 public:
  /// @throws Error kUnsupported if the tokenizer lacks one of the markers.
  explicit AgentPrompt(std::shared_ptr<const Tokenizer> tokenizer);

  /// Context of the first turn, up to and including <|action|>.
  [[nodiscard]] std::vector<TokenId> begin(std::string_view instruction,
                                           std::string_view observation) const;
  /// An action as the policy would write it, closing marker included.
  [[nodiscard]] std::vector<TokenId> action(std::string_view action) const;
  /// What follows an action: the observation, the task once more (a small model does not look back a
  /// thousand tokens to find out what it wants) and the next <|action|>.
  [[nodiscard]] std::vector<TokenId> observation(std::string_view observation,
                                                 std::string_view instruction) const;
  /// Context of a turn that shows only `past`, the oldest first, up to and including <|action|>.
  [[nodiscard]] std::vector<TokenId> window(std::string_view instruction,
                                            std::span<const PastTurn> past,
                                            std::string_view observation) const;
  /// The action text of a sampled turn (closing marker stripped).
  [[nodiscard]] Action parse_action(std::span<const TokenId> sampled) const;
  /// The marker that closes an action.
  [[nodiscard]] TokenId stop() const { return observation_; }

  /// A demonstration to imitate: loss, times `weight`, on the actions only. Steps beyond max_tokens
  /// are left out.
  [[nodiscard]] TrainingSequence demonstration(const Trajectory& trajectory,
                                               std::size_t max_tokens,
                                               double weight = 1.0) const;
  /// Demonstrations as the agent will read them: each in one piece, or a sequence for each action
  /// where it sees fewer than kWholeEpisode steps.
  [[nodiscard]] std::vector<TrainingSequence> demonstrations(std::span<const Trajectory> trajectories,
                                                             std::size_t max_tokens,
                                                             std::size_t history_steps) const;

  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  void add_windows(const Trajectory& trajectory,
                   std::size_t max_tokens,
                   std::size_t history_steps,
                   std::vector<TrainingSequence>& out) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  TokenId agent_, task_, state_, action_, observation_;
};

}  // namespace dreamgym
