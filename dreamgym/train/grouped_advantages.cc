#include "dreamgym/train/grouped_advantages.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/group_statistics.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {
namespace {

struct Group {
  std::vector<std::size_t> samples;  // places in the batch
  std::vector<double> scores;        // that make the statistics
  std::set<std::uint64_t> episodes;
};

std::map<std::uint64_t, Group> collect(std::span<const GroupSample> samples, bool every_sample) {
  std::map<std::uint64_t, Group> groups;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Group& group = groups[samples[i].group];
    group.samples.push_back(i);
    const bool is_new = group.episodes.insert(samples[i].episode).second;
    if (is_new || every_sample) {
      group.scores.push_back(samples[i].score);
    }
  }
  return groups;
}

/// What multiplies (score - mean) in a group of two or more scores.
double scale_of(const internal::GroupStatistics& statistics,
                std::size_t num_scores,
                const GroupAdvantageConfig& config) {
  const auto count = static_cast<double>(num_scores);
  switch (config.estimator) {
    case GroupEstimator::kGrpo:
      return 1.0 / (statistics.deviation + config.epsilon);
    case GroupEstimator::kDrGrpo:
      return 1.0;
    case GroupEstimator::kRloo:
      return count / (count - 1);
  }
  throw LogicError("unknown group estimator");
}

}  // namespace

GroupedAdvantages grouped_advantages(std::span<const GroupSample> samples,
                                     const GroupAdvantageConfig& config) {
  std::vector<double> scores;
  for (const GroupSample& sample : samples) {
    scores.push_back(sample.score);
  }
  internal::require_finite(scores, "scores of a batch");

  GroupedAdvantages out;
  out.advantages.assign(samples.size(), 0.0);
  out.used.assign(samples.size(), false);
  for (const auto& [key, group] : collect(samples, config.count_every_sample)) {
    ++out.num_groups;
    const bool is_singleton = group.scores.size() < 2;
    const auto statistics = internal::group_statistics(group.scores);
    out.singleton_groups += is_singleton ? 1 : 0;
    out.equal_groups += !is_singleton && statistics.all_equal ? 1 : 0;
    if (is_singleton && !config.keep_singletons) {
      continue;
    }
    const double baseline = is_singleton ? 0.0 : statistics.mean;
    const double scale = is_singleton ? 1.0 : scale_of(statistics, group.scores.size(), config);
    for (const std::size_t i : group.samples) {
      out.used[i] = true;
      out.advantages[i] = (samples[i].score - baseline) * scale;
    }
  }
  return out;
}

void require_whole_groups(std::span<const GroupSample> samples, std::size_t group_size) {
  for (const auto& [key, group] : collect(samples, false)) {
    if (group.episodes.size() != group_size) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("group {} holds {} episode(s), expected group_size = {}",
                      key,
                      group.episodes.size(),
                      group_size),
          "make the batch a multiple of group_size and keep the members of a group together "
          "until their advantages are computed");
    }
  }
}

}  // namespace dreamgym
