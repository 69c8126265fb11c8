#include "dreamgym/experience/stepwise_dream.h"

#include "dreamgym/base/rng.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/internal/dreamed_task.h"

namespace dreamgym {

DreamedEpisode DreamedEpisode::begin(const Task& task, std::uint64_t world_seed) {
  DreamedEpisode episode;
  episode.running = true;
  episode.task = task;
  episode.opening = experience_internal::first_observation(task);
  episode.world_seed = Rng(world_seed).fork(task.instruction).fork(episode.opening).next();
  episode.observation = episode.opening;
  return episode;
}

void DreamedEpisode::take(const Action& action, const StepResult& result) {
  running = !result.terminated && !result.truncated;
  if (!running) {
    return;
  }
  observation = result.observation.text;
  past.push_back({action, result.reasoning_trace, observation});
  if (const auto trace = parse_reasoning_trace(result.reasoning_trace)) {
    shown.observe(*trace, action, observation);
  }
}

}  // namespace dreamgym
