#include "dreamgym/train/policy_progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/train/policy_update.h"
#include "tests/button_room.h"

namespace dreamgym {
namespace {

std::vector<Episode> play(ButtonLab& lab) {
  TokenAgent agent(lab.engine, lab.tokenizer, {});
  std::vector<Task> tasks;
  for (const Task& task : button_tasks()) {
    tasks.insert(tasks.end(), 32, task);
  }
  std::vector<Episode> episodes =
      play_episodes(agent, lab.room, nullptr, tasks, Rng(4), {.max_steps = 2});
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    episodes[i].group = i / 32;
  }
  return episodes;
}

/// The same policy with the second episode's task better learnt.
void learn_from(ButtonLab& lab, const std::vector<Episode>& episodes) {
  std::vector<PolicyLesson> lessons;
  std::vector<const PolicyLesson*> of_step;
  for (const Episode& episode : episodes) {
    const bool at_once = episode.trajectory.steps.size() == 1;
    lessons.push_back({&episode,
                       std::vector<double>(sampled_logprobs(episode).size(), at_once ? 1.0 : -1.0)});
  }
  for (const PolicyLesson& lesson : lessons) {
    of_step.push_back(&lesson);
  }
  PolicyStepConfig config;
  config.optimizer.learning_rate = 3e-3;
  for (int i = 0; i < 3; ++i) {
    (void)step_policy(lab.model, nullptr, of_step, config);
  }
}

TEST(MeasureProgress, OfAPolicyThatHasNotMovedIsZero) {
  ButtonLab lab;
  const std::vector<Episode> episodes = play(lab);
  const PolicyProgress still = measure_progress(lab.model, episodes, 0.9, 4096);
  EXPECT_NEAR(still.surrogate_advantage, 0.0, 1e-5);
  EXPECT_NEAR(still.divergence, 0.0, 1e-9);
}

TEST(MeasureProgress, OfABetterPolicyIsTheGainOfItsChoices) {
  ButtonLab lab;
  const std::vector<Episode> episodes = play(lab);
  learn_from(lab, episodes);
  const PolicyProgress moved = measure_progress(lab.model, episodes, 0.5, 4096);
  EXPECT_GT(moved.surrogate_advantage, 0.0);
  EXPECT_GT(moved.divergence, 0.0);
  // By hand: every episode has one choice a step, of which a second one is always worth what it is paid.
  const auto now = [&](const Episode& episode) {
    const Episode* const pointer = &episode;
    return score_episodes(lab.model, std::span(&pointer, 1), 4096).front();
  };
  double surrogate = 0;
  double divergence = 0;
  double steps = 0;
  for (std::size_t group = 0; group < 2; ++group) {
    double sum = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const auto& taken = episodes[32 * group + i].trajectory.steps;
      sum += taken.size() == 1 ? taken[0].reward : 0.5 * taken[1].reward;
    }
    for (std::size_t i = 0; i < 32; ++i) {
      const Episode& episode = episodes[32 * group + i];
      const auto& taken = episode.trajectory.steps;
      const double own = taken.size() == 1 ? taken[0].reward : 0.5 * taken[1].reward;
      const auto after = now(episode);
      const auto before = sampled_logprobs(episode);
      for (std::size_t t = 0; t < taken.size(); ++t) {
        const double d = after[t] - before[t];
        const double to_go = t == 0 ? own : taken[t].reward;
        surrogate += (std::exp(d) - 1) * (to_go - (sum - own) / 31.0);
        divergence += std::exp(d) - 1 - d;
        steps += 1;
      }
    }
  }
  EXPECT_NEAR(moved.surrogate_advantage, surrogate / steps, 1e-7);
  EXPECT_NEAR(moved.divergence, divergence / steps, 1e-7);
}

TEST(MeasureProgress, OfNothingIsNothing) {
  const ButtonLab lab;
  EXPECT_EQ(measure_progress(lab.model, {}, 0.9, 4096).divergence, 0.0);
}

}  // namespace
}  // namespace dreamgym
