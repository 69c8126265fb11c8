#include "dreamgym/train/policy_progress.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "dreamgym/train/episode_tokens.h"
#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/policy_update.h"

namespace dreamgym {
namespace {

constexpr double kMaxLogRatio = 20.0;

std::vector<double> returns_to_go(const Trajectory& story, double discount) {
  std::vector<double> out(story.steps.size());
  double sum = 0;
  for (std::size_t step = out.size(); step-- > 0;) {
    sum = story.steps[step].reward + discount * sum;
    out[step] = sum;
  }
  return out;
}

// log(new / old) of each step's action.
std::vector<double> log_ratios(const Episode& episode, std::span<const double> now) {
  const std::size_t num_steps = episode.trajectory.steps.size();
  const EpisodeTokens tokens = episode_tokens(episode.ledgers, std::vector<double>(num_steps));
  const std::vector<double> before = sampled_logprobs(episode);
  std::vector<double> out(num_steps);
  for (std::size_t t = 0; t < before.size(); ++t) {
    out[tokens.turns[t]] += now[t] - before[t];
  }
  for (double& ratio : out) {
    ratio = std::clamp(ratio, -kMaxLogRatio, kMaxLogRatio);
  }
  return out;
}

}  // namespace

PolicyProgress measure_progress(const TrainableModel& model,
                                std::span<const Episode> episodes,
                                double discount,
                                std::size_t tokens_per_micro_batch) {
  internal::require_between(discount, 0, 1, "discount of the surrogate advantage");
  std::vector<const Episode*> pointers;
  std::vector<std::vector<double>> to_go;
  struct Group {
    double sum = 0;
    double size = 0;
  };
  std::map<std::size_t, Group> groups;
  for (const Episode& episode : episodes) {
    pointers.push_back(&episode);
    to_go.push_back(returns_to_go(episode.trajectory, discount));
    Group& group = groups[episode.group];
    group.sum += to_go.back().empty() ? 0.0 : to_go.back().front();
    group.size += 1;
  }
  const auto now = score_episodes(model, pointers, tokens_per_micro_batch);
  PolicyProgress out;
  double steps = 0;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    if (to_go[e].empty()) {
      continue;
    }
    const Group& group = groups.at(episodes[e].group);
    const double siblings =
        group.size > 1 ? (group.sum - to_go[e].front()) / (group.size - 1) : 0.0;
    const std::vector<double> ratios = log_ratios(episodes[e], now[e]);
    for (std::size_t step = 0; step < ratios.size(); ++step) {
      const double ratio = std::exp(ratios[step]);
      out.surrogate_advantage += (ratio - 1) * (to_go[e][step] - siblings);
      out.divergence += ratio - 1 - ratios[step];
    }
    steps += static_cast<double>(ratios.size());
  }
  if (steps > 0) {
    out.surrogate_advantage /= steps;
    out.divergence /= steps;
  }
  return out;
}

}  // namespace dreamgym
