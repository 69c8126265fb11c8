// Top-k, top-p, min-p, repetition penalty and logit bias (token_sampler.h).
//
// In the order of transformers: bias and penalty on the logits, then temperature, top-k, top-p,
// min-p on what is left.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dreamgym/nn/engine/token_sampler.h"

namespace dreamgym::engine {
namespace {

struct Candidate {
  std::size_t index = 0;
  double weight = 0;  // exp of the scaled logit, relative to the largest
};

std::vector<float> tilted(std::span<const float> logits, const SamplingRule& rule) {
  std::vector<float> out(logits.begin(), logits.end());
  const auto penalty = static_cast<float>(rule.filter.repetition_penalty);
  if (penalty != 1.0F) {
    std::vector<TokenId> seen(rule.seen.begin(), rule.seen.end());
    std::ranges::sort(seen);
    const auto repeated = std::ranges::unique(seen);
    seen.erase(repeated.begin(), repeated.end());
    for (const TokenId token : seen) {
      float& logit = out[static_cast<std::size_t>(token)];
      logit = logit > 0 ? logit / penalty : logit * penalty;
    }
  }
  for (const auto& [token, bias] : rule.filter.bias) {
    out[static_cast<std::size_t>(token)] += bias;
  }
  return out;
}

// The likeliest first, those of no weight left out; equals in the order of their indices.
std::vector<Candidate> ranked(std::span<const float> logits, double temperature) {
  constexpr double kNegligible = -46.0;  // e^-46 = 1e-20 of the likeliest
  const double largest = *std::ranges::max_element(logits);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double scaled = (double{logits[i]} - largest) / temperature;
    if (scaled > kNegligible) {
      candidates.push_back({i, std::exp(scaled)});
    }
  }
  std::ranges::stable_sort(candidates, std::greater{}, &Candidate::weight);
  return candidates;
}

double total_of(std::span<const Candidate> candidates) {
  double total = 0;
  for (const Candidate& candidate : candidates) {
    total += candidate.weight;
  }
  return total;
}

// At least one stays, whatever the settings.
void narrow(std::vector<Candidate>& candidates, const SamplingFilter& filter) {
  if (filter.top_k > 0 && filter.top_k < candidates.size()) {
    candidates.resize(filter.top_k);
  }
  if (filter.top_p < 1.0) {
    const double wanted = filter.top_p * total_of(candidates);
    double sum = 0;
    std::size_t count = 0;
    while (count < candidates.size() && (count == 0 || sum < wanted)) {
      sum += candidates[count++].weight;
    }
    candidates.resize(count);
  }
  if (filter.min_p > 0) {
    const double least = filter.min_p * candidates.front().weight;
    const auto first_out = std::ranges::find_if(
        candidates, [&](const Candidate& candidate) { return candidate.weight < least; });
    candidates.erase(std::max(first_out, candidates.begin() + 1), candidates.end());
  }
}

}  // namespace

std::size_t sample_filtered(std::span<const float> logits, const SamplingRule& rule, Rng& stream) {
  const std::vector<float> changed = tilted(logits, rule);
  if (rule.temperature == 0) {
    return static_cast<std::size_t>(std::ranges::max_element(changed) - changed.begin());
  }
  std::vector<Candidate> candidates = ranked(changed, rule.temperature);
  narrow(candidates, rule.filter);
  const double target = stream.uniform() * total_of(candidates);
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    sum += candidate.weight;
    if (sum > target) {
      return candidate.index;
    }
  }
  return candidates.back().index;
}

}  // namespace dreamgym::engine
