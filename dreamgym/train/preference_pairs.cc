#include "dreamgym/train/preference_pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

/// Episodes of one task.
struct Attempts {
  std::vector<std::size_t> successes;
  std::vector<std::size_t> failures;
};

std::vector<Attempts> by_task(std::span<const Trajectory> trajectories) {
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> place;
  std::vector<Attempts> out;
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    const Trajectory& trajectory = trajectories[i];
    if (trajectory.outcome == Outcome::kInfrastructureError || trajectory.steps.empty()) {
      continue;
    }
    const Task& task = trajectory.task;
    const auto [known, is_new] =
        place.emplace(std::tuple(task.world, task.id, task.seed), out.size());
    if (is_new) {
      out.emplace_back();
    }
    Attempts& attempts = out[known->second];
    (trajectory.success() ? attempts.successes : attempts.failures).push_back(i);
  }
  return out;
}

/// Number of equal steps before the actions differ; nothing if the observations differ first, or
/// one episode ends within the other.
std::optional<std::size_t> shared_steps(const Trajectory& a, const Trajectory& b) {
  const std::size_t shorter = std::min(a.steps.size(), b.steps.size());
  for (std::size_t t = 0; t < shorter; ++t) {
    if (a.steps[t].observation.text != b.steps[t].observation.text) {
      return std::nullopt;
    }
    if (a.steps[t].action != b.steps[t].action) {
      return t;
    }
  }
  return std::nullopt;
}

}  // namespace

PreferencePairs build_preference_pairs(std::span<const Trajectory> trajectories,
                                       const PreferencePairsConfig& config) {
  if (config.max_pairs_per_task == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                "max_pairs_per_task is 0, expected at least 1",
                "1 pair a task gives every task the same weight");
  }
  PreferencePairs out;
  for (const Attempts& attempts : by_task(trajectories)) {
    ++out.tasks;
    const std::size_t s = attempts.successes.size();
    const std::size_t f = attempts.failures.size();
    std::size_t found = 0;
    for (std::size_t k = 0; k < s * f && found < config.max_pairs_per_task; ++k) {
      const std::size_t chosen = attempts.successes[k % s];
      const std::size_t rejected = attempts.failures[(k % s + k / s) % f];
      if (const auto shared = shared_steps(trajectories[chosen], trajectories[rejected])) {
        out.pairs.push_back({chosen, rejected, *shared});
        ++found;
      } else {
        ++out.incomparable;
      }
    }
    out.tasks_without_pair += found == 0 ? 1 : 0;
  }
  return out;
}

}  // namespace dreamgym
