// DAPO's dynamic sampling: groups whose returns are all equal teach nothing and are sampled again.
//
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dreamgym {

struct DynamicSamplingConfig {
  bool enabled = false;
  std::size_t max_rounds = 10;  ///< rounds of rollouts per update, >= 1
};

struct SelectedGroups {
  std::vector<std::size_t> kept;  ///< indices of the groups to train on, at most those wanted
  double equal_share = 0;         ///< groups of this round whose returns are all equal / groups
  bool sample_again = false;      ///< play another round before the update
};

/// What to keep of a round's groups.
///
/// @param returns      [groups][members] finite; a group of fewer than two members counts as equal.
/// @param num_kept     groups kept in earlier rounds of this update.
/// @param num_wanted   groups an update wants in all.
/// @param round        of this update, from 0.
/// @return             In the last round every group is kept, so that an update is never given up;
///                     the equal ones come last and fill up what is missing.
/// @throws Error       kInvalidArgument if a return is not finite, or max_rounds is 0.
/// Source:             DAPO (arXiv 2503.14476); verl-agent filter_groups.
SelectedGroups select_groups(std::span<const std::vector<double>> returns,
                             std::size_t num_kept,
                             std::size_t num_wanted,
                             std::size_t round,
                             const DynamicSamplingConfig& config);

}  // namespace dreamgym
