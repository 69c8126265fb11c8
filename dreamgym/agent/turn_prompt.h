// How an agent's side of an episode reads as tokens: a first context, then by turns an action and what came
// back.
//
// The whole episode is one such text that only grows; with a window of n steps each turn has a text of its
// own, which begins n steps back as if the episode had begun there.
// Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/llm/training_sequence.h"

namespace dreamgym {

class ThoughtForm;  // thought_form.h

/// Steps of history from which on the agent reads the whole episode.
inline constexpr std::size_t kWholeEpisode = 1'000'000;

/// A turn that lies behind, as a window shows it.
struct PastTurn {
  std::string observation;      ///< what was acted on
  std::vector<TokenId> action;  ///< the turn as it is remembered, closing token included
};

class TurnPrompt {
 public:
  virtual ~TurnPrompt() = default;
  /// Context of the first turn, up to where the action begins.
  [[nodiscard]] virtual std::vector<TokenId> begin(std::string_view instruction,
                                                   std::string_view observation) const = 0;
  /// An action as the policy would write it, the closing token included.
  [[nodiscard]] virtual std::vector<TokenId> action(std::string_view action) const = 0;
  /// What follows an action, up to where the next one begins.
  [[nodiscard]] virtual std::vector<TokenId> observation(std::string_view observation,
                                                         std::string_view instruction) const = 0;
  /// The action text of a sampled turn (closing token stripped).
  [[nodiscard]] virtual Action parse_action(std::span<const TokenId> sampled) const = 0;
  /// The token that closes an action.
  [[nodiscard]] virtual TokenId stop() const = 0;
  [[nodiscard]] virtual const Tokenizer& tokenizer() const = 0;
  /// How a turn reads once others follow: as it was written, or without what is forgotten.
  /// @param turn  from where the policy's turn begins, the closing token included.
  [[nodiscard]] virtual std::vector<TokenId> remembered(std::span<const TokenId> turn) const {
    return {turn.begin(), turn.end()};
  }
  /// How the policy thinks before each action; null = it does not.
  [[nodiscard]] virtual const ThoughtForm* thought_form() const { return nullptr; }
  /// Whether observations are read with the actions that are admissible.
  [[nodiscard]] virtual bool names_actions() const { return false; }

  /// An observation as the policy reads it: its text, and what can be done where that is named and known.
  [[nodiscard]] std::string shown(const Observation& observation) const;
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
  /// Context of a turn that shows only `past`, the oldest first, up to where the action begins.
  [[nodiscard]] std::vector<TokenId> window(std::string_view instruction,
                                            std::span<const PastTurn> past,
                                            std::string_view observation) const;

 private:
  void add_windows(const Trajectory& trajectory,
                   std::size_t max_tokens,
                   std::size_t history_steps,
                   std::vector<TrainingSequence>& out) const;
};

}  // namespace dreamgym
