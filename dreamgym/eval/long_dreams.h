// How a dream holds together over long episodes: someone who wanders through it for many steps, and what a rule check
// of the text finds.
//
// The wanderer draws among the candidate actions at random, so episodes hardly ever end early, and places are looked
// into again and again.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/env/action_mapper.h"
#include "dreamgym/env/environment.h"
#include "dreamgym/env/episode_auditor.h"

namespace dreamgym {

/// Episodes of up to `num_steps` random candidate actions, side by side. Those that infrastructure ends stop there.
std::vector<Trajectory> wander(EnvironmentBatch& dream,
                               const ActionMapperFactory& mappers,
                               std::span<const Task> tasks,
                               std::size_t num_steps,
                               const Rng& rng);

struct LongDreams {
  std::size_t episodes = 0;
  std::size_t steps = 0;
  std::size_t contradictions = 0;  ///< with what the episode showed earlier
  std::size_t second_looks = 0;    ///< at contents the episode has shown before
  std::size_t agreeing = 0;        ///< of these, that show what must be there
  std::string first_contradiction;
};

LongDreams audit_long_dreams(std::span<const Trajectory> episodes, const EpisodeAuditor& auditor);

}  // namespace dreamgym
