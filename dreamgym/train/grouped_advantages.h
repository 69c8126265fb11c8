// Advantages of a whole batch, grouped by an explicit key (GRPO, Dr.GRPO, RLOO).
//
// A sample is what is trained on at once: a whole episode, or one step of it that carries the
// episode's score. Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dreamgym {

struct GroupSample {
  std::uint64_t group = 0;    ///< shared by the episodes of one task; a key, never a position
  std::uint64_t episode = 0;  ///< shared by the samples of one episode, unique in the batch
  double score = 0;           ///< return of the whole episode, penalties included
};

enum class GroupEstimator {
  kGrpo,    ///< (score - mean) / (std + epsilon)
  kDrGrpo,  ///< score - mean
  kRloo,    ///< score - mean of the others
};

struct GroupAdvantageConfig {
  GroupEstimator estimator = GroupEstimator::kGrpo;
  /// verl's counting: each sample enters mean and std, so that long episodes weigh more. Otherwise
  /// each episode enters once, by its first sample.
  bool count_every_sample = false;
  /// verl's rule: the only member of a group keeps its raw score as its advantage. Otherwise it is
  /// left out.
  bool keep_singletons = false;
  double epsilon = 1e-6;  ///< added to the standard deviation; > 0
};

struct GroupedAdvantages {
  std::vector<double> advantages;  ///< [N]; 0 where not used
  std::vector<bool> used;          ///< [N]; false: its group has one member and is left out
  std::size_t num_groups = 0;
  std::size_t singleton_groups = 0;  ///< with one member (episode, or sample by verl's counting)
  std::size_t equal_groups = 0;      ///< two or more members, all scores equal: no gradient
};

/// @param samples  [N] in any order; finite scores.
/// @return         [N] in the order of the samples.
/// @throws Error   kInvalidArgument if a score is not finite.
/// Deviation:      episodes count once by default (verl-agent: steps); singletons are left out.
/// Source:         advantages.h for the estimators; verl-agent's GRPO and GiGPO for the counting.
GroupedAdvantages grouped_advantages(std::span<const GroupSample> samples,
                                     const GroupAdvantageConfig& config);

/// Holds a batch against the group size it was sampled with.
/// @throws Error kInvalidArgument naming the first group that has not exactly group_size episodes.
void require_whole_groups(std::span<const GroupSample> samples, std::size_t group_size);

}  // namespace dreamgym
