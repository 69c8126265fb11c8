#include "dreamgym/train/gigpo.h"

#include <map>
#include <string_view>
#include <unordered_map>

#include "dreamgym/base/error.h"
#include "dreamgym/train/grouped_advantages.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/text_similarity.h"

namespace dreamgym {
namespace {

std::vector<double> episode_part(std::span<const GigpoStep> steps, const GigpoConfig& config) {
  std::vector<GroupSample> samples;
  for (const GigpoStep& step : steps) {
    samples.push_back({step.group, step.episode, step.episode_score});
  }
  return grouped_advantages(
             samples,
             {.estimator = config.scale_by_std ? GroupEstimator::kGrpo : GroupEstimator::kDrGrpo,
              .count_every_sample = config.count_every_step,
              .keep_singletons = config.keep_singletons,
              .epsilon = config.epsilon})
      .advantages;
}

/// The clusters of one task group: the step each was opened by, and its number.
using Clusters = std::vector<std::pair<std::size_t, std::size_t>>;

const std::pair<std::size_t, std::size_t>* find_similar(std::span<const GigpoStep> steps,
                                                        const Clusters& clusters,
                                                        const std::string& anchor,
                                                        double similarity) {
  for (const auto& cluster : clusters) {
    if (is_similar(anchor, steps[cluster.first].anchor, similarity)) {
      return &cluster;
    }
  }
  return nullptr;
}

}  // namespace

GigpoAdvantages gigpo_advantages(std::span<const GigpoStep> steps, const GigpoConfig& config) {
  const std::vector<double> returns = discounted_step_returns(steps, config.gamma);
  const std::vector<std::size_t> anchors = anchor_groups(steps, config.similarity);
  GigpoAdvantages out;
  out.episode_part = episode_part(steps, config);
  out.step_part.assign(steps.size(), 0.0);

  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    members[anchors[i]].push_back(i);
  }
  out.num_anchor_groups = members.size();
  for (const auto& [anchor, places] : members) {
    out.singleton_anchors += places.size() == 1 ? 1 : 0;
    std::vector<double> of_group;
    for (const std::size_t i : places) {
      of_group.push_back(returns[i]);
    }
    const auto statistics = internal::group_statistics(of_group);
    const double scale = config.scale_by_std ? 1.0 / (statistics.deviation + config.epsilon) : 1.0;
    for (const std::size_t i : places) {
      out.step_part[i] = (returns[i] - statistics.mean) * scale;
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out.advantages.push_back(out.episode_part[i] + config.step_weight * out.step_part[i]);
  }
  return out;
}

std::vector<double> discounted_step_returns(std::span<const GigpoStep> steps, double gamma) {
  internal::require_between(gamma, 0, 1, "gamma of GiGPO");
  std::vector<double> returns;
  for (const GigpoStep& step : steps) {
    returns.push_back(step.reward);
  }
  internal::require_finite(returns, "step rewards");
  std::unordered_map<std::uint64_t, double> to_go;
  for (std::size_t i = steps.size(); i-- > 0;) {
    double& value = to_go[steps[i].episode];
    value = returns[i] + gamma * value;
    returns[i] = value;
  }
  return returns;
}

std::vector<std::size_t> anchor_groups(std::span<const GigpoStep> steps, double similarity) {
  internal::require_between(similarity, 0, 1, "similarity of GiGPO's anchors");
  std::vector<std::size_t> numbers;
  std::size_t next = 0;
  std::map<std::pair<std::uint64_t, std::string_view>, std::size_t> exact;
  std::map<std::uint64_t, Clusters> similar;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string_view anchor = steps[i].anchor;
    const auto [known, is_new] = exact.emplace(std::pair(steps[i].group, anchor), next);
    if (is_new && similarity < 1) {
      Clusters& clusters = similar[steps[i].group];
      if (const auto* cluster = find_similar(steps, clusters, steps[i].anchor, similarity)) {
        known->second = cluster->second;
      } else {
        clusters.emplace_back(i, next);
      }
    }
    next += known->second == next ? 1 : 0;
    numbers.push_back(known->second);
  }
  return numbers;
}

}  // namespace dreamgym
