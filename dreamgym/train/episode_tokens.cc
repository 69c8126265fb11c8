#include "dreamgym/train/episode_tokens.h"

#include "dreamgym/base/error.h"

namespace dreamgym {

EpisodeTokens episode_tokens(std::span<const TokenLedger> ledgers,
                             std::span<const double> step_rewards) {
  EpisodeTokens out;
  std::size_t num_turns = 0;
  for (const TokenLedger& ledger : ledgers) {
    bool in_turn = false;
    for (std::size_t i = 1; i < ledger.size(); ++i) {
      const TokenSource source = ledger.source(i);
      num_turns += source == TokenSource::kPolicy && !in_turn ? 1 : 0;
      // The fixed words between a thought and its action belong to their turn.
      in_turn = source == TokenSource::kPolicy || (in_turn && source == TokenSource::kFrame);
      if (ledger.trainable(i)) {
        out.rewards.push_back(0.0);
        out.turns.push_back(num_turns - 1);
      }
    }
  }
  check(num_turns == step_rewards.size(), "an episode's contexts have a sampled turn for each step");
  std::size_t end = 0;  // one past the last token of the turns so far
  for (std::size_t step = 0; step < step_rewards.size(); ++step) {
    while (end < out.turns.size() && out.turns[end] <= step) {
      ++end;
    }
    if (end > 0) {
      out.rewards[end - 1] += step_rewards[step];
    }
  }
  return out;
}

}  // namespace dreamgym
