#include "dreamgym/train/gae.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {
namespace {

using Places = std::vector<std::size_t>;

void require_valid(const GaeConfig& config) {
  internal::require_between(config.gamma, 0, 1, "gamma of GAE");
  internal::require_between(config.lambda, 0, 1, "lambda of GAE");
}

/// Places of the tokens the policy chose; holds the sequence against what its header promises.
Places chosen_tokens(const ValuedTokens& tokens) {
  const std::size_t size = tokens.completion_mask.size();
  check(tokens.rewards.size() == size, "a reward for each token");
  check(tokens.values.size() == size, "a value for each token");
  internal::require_finite(tokens.rewards, "token rewards");
  internal::require_finite(std::span(&tokens.value_after_end, 1), "value after the end");
  Places chosen;
  for (std::size_t t = 0; t < size; ++t) {
    if (tokens.completion_mask[t]) {
      internal::require_finite(std::span(tokens.values).subspan(t, 1),
                               fmt::format("value of token {}", t));
      chosen.push_back(t);
    } else if (tokens.rewards[t] != 0) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("token {} of {} has reward {} but was written by the environment; "
                              "expected rewards on tokens of the policy",
                              t,
                              size,
                              tokens.rewards[t]),
                  "put a turn's reward on its last sampled token");
    }
  }
  return chosen;
}

/// GAE over the given places, the last of which is followed by `value_after`.
void run_backwards(const ValuedTokens& tokens,
                   std::span<const std::size_t> places,
                   double value_after,
                   const GaeConfig& config,
                   TokenAdvantages& out) {
  double next_value = value_after;
  double advantage = 0;
  for (std::size_t i = places.size(); i-- > 0;) {
    const std::size_t t = places[i];
    const double delta = tokens.rewards[t] + config.gamma * next_value - tokens.values[t];
    advantage = delta + config.gamma * config.lambda * advantage;
    out.advantages[t] = advantage;
    out.returns[t] = advantage + tokens.values[t];
    next_value = tokens.values[t];
  }
}

TokenAdvantages zeros(std::size_t size) {
  return {std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
}

/// Where each turn ends: index into `chosen`, one past its last token.
Places turn_ends(const ValuedTokens& tokens, std::span<const std::size_t> chosen) {
  Places ends;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const bool is_last =
        i + 1 == chosen.size() || tokens.turns[chosen[i + 1]] != tokens.turns[chosen[i]];
    if (is_last) {
      ends.push_back(i + 1);
    } else if (tokens.rewards[chosen[i]] != 0) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("token {} has reward {} inside turn {}; two-level GAE takes one reward "
                      "a turn, on its last sampled token",
                      chosen[i],
                      tokens.rewards[chosen[i]],
                      tokens.turns[chosen[i]]),
          "use the KL term in the loss instead of in the reward, or the flat form");
    }
  }
  return ends;
}

}  // namespace

TokenAdvantages token_gae(const ValuedTokens& tokens, const GaeConfig& config) {
  require_valid(config);
  const Places chosen = chosen_tokens(tokens);
  TokenAdvantages out = zeros(tokens.rewards.size());
  run_backwards(tokens, chosen, tokens.value_after_end, config, out);
  return out;
}

TokenAdvantages two_level_gae(const ValuedTokens& tokens, const TwoLevelGaeConfig& config) {
  require_valid(config.turns);
  require_valid(config.tokens);
  check(tokens.turns.size() == tokens.rewards.size(), "a turn for each token");
  const Places chosen = chosen_tokens(tokens);
  const Places ends = turn_ends(tokens, chosen);
  TokenAdvantages out = zeros(tokens.rewards.size());

  Places last_tokens;
  for (const std::size_t end : ends) {
    last_tokens.push_back(chosen[end - 1]);
  }
  run_backwards(tokens, last_tokens, tokens.value_after_end, config.turns, out);

  ValuedTokens within_turns = tokens;
  within_turns.rewards = out.returns;  // 0 but on the last tokens
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const auto turn = std::span(chosen).subspan(begin, end - begin);
    run_backwards(within_turns, turn, 0.0, config.tokens, out);
    begin = end;
  }
  return out;
}

}  // namespace dreamgym
