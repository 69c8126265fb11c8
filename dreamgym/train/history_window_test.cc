// A policy that reads the last steps only: the contexts it learns from are those it chose in, and a
// window as long as the episode is the episode.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dreamgym/base/text.h"
#include "dreamgym/train/packing.h"
#include "dreamgym/train/policy_algorithm.h"
#include "dreamgym/train/policy_update.h"
#include "tests/button_room.h"

namespace dreamgym {
namespace {

constexpr std::size_t kSteps = 5;

/// Five presses, the last of them paid.
class LongRoom final : public Environment {
 public:
  Observation reset(const Task& task, std::uint64_t /*seed*/) override {
    wanted_ = "press " + task.settings.at("wanted");
    step_ = 0;
    return {"There is a red 1 and a blue 1.", {"press red 1", "press blue 1"}};
  }
  StepResult step(const Action& action) override {
    ++step_;
    StepResult result;
    result.observation = {step_ % 2 == 0 ? "It clicks." : "There is a red 1.",
                          {"press red 1", "press blue 1"}};
    result.terminated = step_ == kSteps;
    result.reward = result.terminated && action == wanted_ ? 1.0 : 0.0;
    return result;
  }

 private:
  std::string wanted_;
  std::size_t step_ = 0;
};

SingleEnvironmentBatch long_room() {
  return {[] { return std::make_unique<LongRoom>(); }, 1};
}

std::vector<Episode> play(ButtonLab& lab, std::size_t history_steps) {
  SingleEnvironmentBatch room = long_room();
  TokenAgent agent(lab.engine, lab.tokenizer, {.history_steps = history_steps});
  std::vector<Task> tasks;
  for (const Task& task : button_tasks()) {
    tasks.insert(tasks.end(), 4, task);
  }
  std::vector<Episode> episodes =
      play_episodes(agent, room, nullptr, tasks, Rng(4), {.max_steps = kSteps});
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    episodes[i].group = i / 4;
  }
  return episodes;
}

std::vector<const Episode*> pointers(const std::vector<Episode>& episodes) {
  std::vector<const Episode*> out;
  for (const Episode& episode : episodes) {
    out.push_back(&episode);
  }
  return out;
}

/// Weights after one step on the episodes, the first of each group good, the others bad.
std::string taught(const std::vector<Episode>& episodes,
                   LossAggregation aggregation,
                   std::size_t tokens_per_micro_batch = 4096,
                   bool every_context = false) {
  ButtonLab lab;
  std::vector<PolicyLesson> lessons;
  std::vector<const PolicyLesson*> of_step;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const double advantage = e % 4 == 0 ? 1.0 : -0.3;
    lessons.push_back({&episodes[e],
                       std::vector<double>(sampled_logprobs(episodes[e]).size(), advantage)});
  }
  for (const PolicyLesson& lesson : lessons) {
    of_step.push_back(&lesson);
  }
  PolicyStepConfig config;
  config.objective.aggregation = aggregation;
  config.optimizer = {.learning_rate = 1e-2, .epsilon = 1.0};  // the step follows the gradient's size
  config.tokens_per_micro_batch = tokens_per_micro_batch;
  config.count_every_context = every_context;
  (void)step_policy(lab.model, nullptr, of_step, config);
  return weight_bytes(lab.model.weights(""));
}

double apart(const std::string& a, const std::string& b) {
  const auto* x = reinterpret_cast<const float*>(a.data());
  const auto* y = reinterpret_cast<const float*>(b.data());
  double most = 0;
  for (std::size_t i = 0; i < a.size() / sizeof(float); ++i) {
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
  }
  return most;
}

TEST(HistoryWindow, EveryTurnReadsTheTaskAndItsLastSteps) {
  ButtonLab lab;
  const Episode episode = play(lab, 2).front();
  ASSERT_EQ(episode.ledgers.size(), kSteps);
  const auto& steps = episode.trajectory.steps;
  const std::string expected = "<|agent|><|task|>press the red 1<|state|>" + steps[2].observation.text +
                               "<|action|>" + steps[2].action + "<|observation|>" +
                               steps[3].observation.text + "<|task|>press the red 1<|action|>" +
                               steps[3].action + "<|observation|>" + steps[4].observation.text +
                               "<|task|>press the red 1<|action|>" + steps[4].action +
                               "<|observation|>";
  EXPECT_EQ(lab.tokenizer->decode(episode.ledgers.back().tokens()), expected);
}

TEST(HistoryWindow, TheTrainerComputesTheEnginesLogProbabilities) {
  for (const std::size_t history : {std::size_t{0}, std::size_t{2}, kWholeEpisode}) {
    ButtonLab lab;
    const std::vector<Episode> episodes = play(lab, history);
    const auto trainer = score_episodes(lab.model, pointers(episodes), 4096);
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      const std::vector<double> engine = sampled_logprobs(episodes[e]);
      ASSERT_EQ(trainer[e].size(), engine.size());
      ASSERT_EQ(engine.size(), kSteps);
      for (std::size_t t = 0; t < engine.size(); ++t) {
        EXPECT_NEAR(trainer[e][t], engine[t], 1e-5) << history << " " << e << " " << t;
      }
    }
  }
}

TEST(HistoryWindow, AsLongAsTheEpisodeIsTheEpisode) {
  ButtonLab one;
  const std::vector<Episode> whole = play(one, kWholeEpisode);
  ButtonLab other;
  const std::vector<Episode> windows = play(other, kSteps);
  for (std::size_t e = 0; e < whole.size(); ++e) {
    EXPECT_EQ(windows[e].trajectory, whole[e].trajectory) << e;
    ASSERT_EQ(whole[e].ledgers.size(), 1U);
    EXPECT_EQ(windows[e].ledgers.back().tokens(), whole[e].ledgers.front().tokens()) << e;
  }
  for (const LossAggregation aggregation : {LossAggregation::kTokenMean,
                                            LossAggregation::kSequenceMeanOfTokenSum,
                                            LossAggregation::kSequenceMeanOfTokenMean}) {
    EXPECT_LT(apart(taught(windows, aggregation), taught(whole, aggregation)), 1e-7)
        << loss_aggregation_name(aggregation);
  }
}

TEST(HistoryWindow, CountsEpisodesOnceOrEveryTurn) {
  ButtonLab lab;
  std::vector<Episode> episodes = play(lab, 2);
  episodes[0].ledgers.resize(2);  // a short episode among long ones
  episodes[0].trajectory.steps.resize(2);
  const auto mean = LossAggregation::kSequenceMeanOfTokenMean;
  EXPECT_GT(apart(taught(episodes, mean, 4096, true), taught(episodes, mean, 4096, false)), 1e-6);
  // A turn holds one choice here, so the mean over turns is that over tokens.
  EXPECT_LT(apart(taught(episodes, mean, 4096, true),
                  taught(episodes, LossAggregation::kTokenMean, 4096, true)),
            1e-8);
}

TEST(HistoryWindow, IsTheSameWhateverTheMicroBatches) {
  ButtonLab lab;
  const std::vector<Episode> episodes = play(lab, 2);
  const auto mean = LossAggregation::kSequenceMeanOfTokenMean;
  EXPECT_LT(apart(taught(episodes, mean, 40), taught(episodes, mean, 4096)), 1e-7);
}

TEST(HistoryWindow, EveryAlgorithmWithOneRuns) {
  for (const std::string& algorithm : policy_algorithm_names()) {
    ButtonLab lab;
    PolicyTrainingConfig config;
    config.iterations = 2;
    config.tasks_per_iteration = 2;
    config.group_size = 4;
    config.max_steps = 4;
    config.history_steps = 2;
    config.validate_every = 0;
    config.tokens_per_micro_batch = 60;
    config.mismatch_correction = MismatchCorrection::kSequenceMasked;
    apply_algorithm(algorithm, config);
    config.critic.warmup_iterations = 0;
    SingleEnvironmentBatch room = long_room();
    const auto trainer = make_policy_trainer({lab.model, lab.engine, lab.tokenizer},
                                             &lab.critic,
                                             lab.curriculum,
                                             {room, nullptr, Provenance::kReal, ""},
                                             config,
                                             Rng(3));
    EXPECT_EQ(trainer->run("x").iterations, 2U) << algorithm;
  }
}

TEST(PackEpisodes, ComputeWhatTheirContextsShareOnce) {
  ButtonLab lab;
  const std::vector<Episode> episodes = play(lab, kWholeEpisode);
  const PlayedBatches packed = pack_episodes(pointers(episodes), 100'000);
  std::size_t apart_tokens = 0;
  for (const Episode& episode : episodes) {
    const Episode* const alone = &episode;
    apart_tokens += pack_episodes(std::span(&alone, 1), 100'000).num_tokens;
  }
  const std::size_t prompt = 25;  // at least so many of the group's first tokens
  EXPECT_LE(packed.num_tokens + 6 * prompt, apart_tokens);
  const auto together = score_episodes(lab.model, pointers(episodes), 100'000);
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Episode* const alone = &episodes[e];
    const auto one = score_episodes(lab.model, std::span(&alone, 1), 100'000);
    for (std::size_t t = 0; t < one[0].size(); ++t) {
      EXPECT_NEAR(together[e][t], one[0][t], 1e-6) << e << " " << t;
    }
  }
}

}  // namespace
}  // namespace dreamgym
