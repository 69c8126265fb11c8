// GiGPO: group-in-group advantages. An episode is compared with its siblings, and each of its steps
// with the steps that were taken from the same state.
//
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dreamgym {

/// One step of one episode; the steps of an episode stand in their order.
struct GigpoStep {
  std::uint64_t group = 0;    ///< shared by the episodes of one task
  std::uint64_t episode = 0;  ///< unique in the batch
  double episode_score = 0;   ///< return of the whole episode, penalties included
  double reward = 0;          ///< of this step, its penalty included
  std::string anchor;         ///< raw observation acted on, without the prompt's history
};

struct GigpoConfig {
  double gamma = 0.95;       ///< discount per step of the step part, in [0, 1]
  double step_weight = 1.0;  ///< of the step part, >= 0; 0 = GRPO
  bool scale_by_std = true;  ///< both parts; false: mean only (verl-agent's WebShop recipe)
  /// Anchors at least this similar (text_similarity.h) are one state; 1 = only equal ones. Below 1,
  /// steps join the first cluster whose first member is similar.
  double similarity = 1.0;
  bool count_every_step =
      false;  ///< verl's counting of the episode part, as in grouped_advantages.h
  bool keep_singletons = false;  ///< verl's rule for a group of one episode, likewise
  double epsilon = 1e-6;         ///< added to standard deviations; > 0
};

struct GigpoAdvantages {
  std::vector<double> advantages;     ///< [N] episode part + step_weight x step part
  std::vector<double> episode_part;   ///< [N]
  std::vector<double> step_part;      ///< [N]; 0 for a step alone in its state
  std::size_t num_anchor_groups = 0;  ///< states
  std::size_t singleton_anchors = 0;  ///< states met once
};

/// @param steps   [N] of the batch, in any order of episodes.
/// @return        [N] the advantage of every token of the step's completion.
/// @throws Error  kInvalidArgument for a number that is not finite; gamma, similarity out of range.
/// Deviation:     the episode part counts each episode once by default.
/// Source:        GiGPO (arXiv 2505.10978); verl-agent core_gigpo.
GigpoAdvantages gigpo_advantages(std::span<const GigpoStep> steps, const GigpoConfig& config);

/// Discounted return to go of each step within its episode: G_t = r_t + gamma G_{t+1}.
std::vector<double> discounted_step_returns(std::span<const GigpoStep> steps, double gamma);

/// Number of each step's state; equal exactly for steps of the same task group and anchor.
std::vector<std::size_t> anchor_groups(std::span<const GigpoStep> steps, double similarity);

}  // namespace dreamgym
