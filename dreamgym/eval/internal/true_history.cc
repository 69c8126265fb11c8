#include "dreamgym/eval/internal/true_history.h"

#include <algorithm>

namespace dreamgym::eval_internal {
namespace {

constexpr std::size_t kBatch = 128;  // episodes walked side by side

// The true step, as a dream takes it in.
StepResult to_result(const Transition& step) {
  StepResult result;
  result.observation = step.next_observation;
  result.reward = step.reward;
  result.terminated = step.terminated;
  result.truncated = step.truncated;
  result.reasoning_trace = step.reasoning_trace;
  return result;
}

}  // namespace

void walk_true_history(StepwiseDream& dream,
                       std::span<const Trajectory> stories,
                       const std::function<std::uint64_t(std::size_t episode)>& seed_of,
                       const std::function<void(std::size_t episode, std::size_t step, const StepResult& proposed)>& visit) {
  for (std::size_t first = 0; first < stories.size(); first += kBatch) {
    const auto batch = stories.subspan(first, std::min(kBatch, stories.size() - first));
    std::vector<Task> tasks;
    std::vector<std::uint64_t> seeds;
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      tasks.push_back(batch[i].task);
      const bool has_steps = !batch[i].steps.empty();
      tasks.back().settings[task_settings::kFirstObservation] =
          has_steps ? batch[i].steps.front().observation.text : "";
      seeds.push_back(seed_of(first + i));
      if (has_steps) {
        running.push_back(i);
      }
    }
    (void)dream.reset(tasks, seeds);
    for (std::size_t t = 0; !running.empty(); ++t) {
      std::vector<Action> actions;
      std::vector<StepResult> truths;
      for (const std::size_t i : running) {
        actions.push_back(batch[i].steps[t].action);
        truths.push_back(to_result(batch[i].steps[t]));
      }
      const auto proposed = dream.propose(running, actions);
      std::vector<std::size_t> still;
      for (std::size_t j = 0; j < running.size(); ++j) {
        visit(first + running[j], t, proposed[j]);
        if (t + 1 < batch[running[j]].steps.size()) {
          truths[j].terminated = truths[j].truncated = false;  // a log may go on where its world had ended
          still.push_back(running[j]);
        }
      }
      dream.commit(running, actions, truths);
      running = std::move(still);
    }
  }
}

}  // namespace dreamgym::eval_internal
