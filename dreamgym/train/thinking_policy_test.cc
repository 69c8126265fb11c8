// Training a policy that thinks: its thoughts are learnt from like its actions, in the contexts they were sampled in,
// and an episode counts once however many contexts it has.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dreamgym/agent/chat_agent_prompt.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/train/episode_tokens.h"
#include "dreamgym/train/policy_algorithm.h"
#include "dreamgym/train/policy_update.h"
#include "tests/button_room.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

Path qwen() { return fetched_models() / "qwen3/tokenizer.json"; }
Path smollm2() { return language_model_data() / "tokenizer/smollm2_tokenizer.json"; }

// One press for the red button, three for the blue one; the last is paid.
class UnevenRoom final : public Environment {
 public:
  Observation reset(const Task& task, std::uint64_t /*seed*/) override {
    wanted_ = "press " + task.settings.at("wanted");
    left_ = wanted_ == "press red 1" ? 1 : 3;
    return {"A room.", {"press red 1", "press blue 1"}};
  }
  StepResult step(const Action& action) override {
    StepResult result;
    result.observation = {"It clicks.", {"press red 1", "press blue 1"}};
    result.terminated = --left_ == 0;
    result.reward = result.terminated && action == wanted_ ? 1.0 : 0.0;
    return result;
  }

 private:
  std::string wanted_;
  int left_ = 0;
};

// A tiny transformer of random weights behind a real tokenizer and chat format.
struct Lab {
  Lab(const Path& tokenizer_file, ChatTemplate format)
      : tokenizer(std::make_shared<const PretrainedTokenizer>(read_pretrained_tokenizer(tokenizer_file))),
        prompt(std::make_shared<const ChatAgentPrompt>(tokenizer, format, "Think.", false, 4)),
        start(weights()),
        model(start, 1),
        engine(start, tokenizer, {}),
        room([] { return std::make_unique<UnevenRoom>(); }, 1),
        curriculum(button_tasks(), {.generated_share = 0}, {}) {}

  [[nodiscard]] TransformerWeights weights() const {
    TransformerConfig config;
    config.family = "llama";
    config.convolution_taps = 0;
    config.vocab_size = static_cast<std::int64_t>(tokenizer->vocabulary_size());
    config.hidden_size = 8;
    config.num_layers = 1;
    config.num_heads = 1;
    config.num_kv_heads = 1;
    config.head_dim = 8;
    config.intermediate_size = 8;
    config.max_position = 1024;
    return initial_weights(config, 7);
  }

  std::vector<Episode> play(RolloutCost* cost = nullptr) {
    TokenAgent agent(engine, prompt, {});
    std::vector<Task> tasks;
    for (const Task& task : button_tasks()) {
      tasks.insert(tasks.end(), 2, task);
    }
    return play_episodes(agent, room, nullptr, tasks, Rng(4), {}, cost);
  }

  std::shared_ptr<const PretrainedTokenizer> tokenizer;
  std::shared_ptr<const ChatAgentPrompt> prompt;
  TransformerWeights start;
  TrainableModel model;
  GenerationEngine engine;
  SingleEnvironmentBatch room;
  TaskCurriculum curriculum;
};

std::vector<const Episode*> pointers(const std::vector<Episode>& episodes) {
  std::vector<const Episode*> out;
  for (const Episode& episode : episodes) {
    out.push_back(&episode);
  }
  return out;
}

void expect_thoughts_are_learnt_from(Lab& lab, bool forgets) {
  RolloutCost cost;
  const std::vector<Episode> episodes = lab.play(&cost);
  const auto trainer = score_episodes(lab.model, pointers(episodes), 4096);
  std::size_t branches = 0;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const std::size_t num_steps = episodes[e].trajectory.steps.size();
    EXPECT_EQ(episodes[e].ledgers.size(), forgets ? num_steps : 1U);
    branches += episodes[e].ledgers.size() - 1;
    const std::vector<double> engine = sampled_logprobs(episodes[e]);
    ASSERT_EQ(trainer[e].size(), engine.size());
    for (std::size_t t = 0; t < engine.size(); ++t) {
      EXPECT_NEAR(trainer[e][t], engine[t], 1e-4) << e << " " << t;
    }
    const EpisodeTokens tokens = episode_tokens(episodes[e].ledgers, std::vector<double>(num_steps, 1.0));
    for (std::size_t step = 0; step < num_steps; ++step) {
      EXPECT_GT(std::ranges::count(tokens.turns, step), 4) << "a thought of four tokens, then a choice";
    }
  }
  EXPECT_EQ(cost.ledger_branches, branches);
}

TEST(ThinkingPolicy, TheTrainerComputesTheEnginesLogProbabilitiesWhereThoughtsAreForgotten) {
  DREAMGYM_NEEDS_FILE(qwen());
  Lab lab(qwen(), ChatTemplate::kQwen3);
  expect_thoughts_are_learnt_from(lab, true);
}

TEST(ThinkingPolicy, TheTrainerComputesTheEnginesLogProbabilitiesWhereThoughtsAreKept) {
  DREAMGYM_NEEDS_FILE(smollm2());
  Lab lab(smollm2(), ChatTemplate::kSmolLm2);
  expect_thoughts_are_learnt_from(lab, false);
}

TEST(ThinkingPolicy, AnEpisodeCountsOnceHoweverManyContextsItHas) {
  DREAMGYM_NEEDS_FILE(qwen());
  Lab lab(qwen(), ChatTemplate::kQwen3);
  const std::vector<Episode> episodes = lab.play();
  ASSERT_EQ(episodes.front().ledgers.size(), 1U);
  ASSERT_EQ(episodes.back().ledgers.size(), 3U);
  const auto sums_of = [&](bool every_context) {
    Lab learner(qwen(), ChatTemplate::kQwen3);
    std::vector<PolicyLesson> lessons;
    for (const Episode* episode : {&episodes.front(), &episodes.back()}) {
      const double advantage = episode == &episodes.back() ? 1.0 : -1.0;
      lessons.push_back({episode, std::vector<double>(sampled_logprobs(*episode).size(), advantage)});
    }
    PolicyStepConfig config;
    config.objective.aggregation = LossAggregation::kSequenceMeanOfTokenMean;
    config.count_every_context = every_context;
    const std::vector<const PolicyLesson*> of_step = {&lessons[0], &lessons[1]};
    return step_policy(learner.model, nullptr, of_step, config).sums.loss;
  };
  EXPECT_NEAR(sums_of(false), 0.0, 1e-4) << "one good and one bad episode weigh the same";
  EXPECT_NEAR(sums_of(true), -0.5, 1e-4) << "three good contexts and a bad one do not";
}

TEST(ThinkingPolicy, LearnsInALoop) {
  DREAMGYM_NEEDS_FILE(smollm2());
  Lab lab(smollm2(), ChatTemplate::kSmolLm2);
  PolicyTrainingConfig config;
  config.iterations = 2;
  config.tasks_per_iteration = 2;
  config.group_size = 2;
  config.validate_every = 0;
  const auto trainer = make_policy_trainer({lab.model, lab.engine, lab.tokenizer, lab.prompt},
                                           nullptr,
                                           lab.curriculum,
                                           {lab.room, nullptr, Provenance::kReal, ""},
                                           config,
                                           Rng(3));
  EXPECT_EQ(trainer->run("x").iterations, 2U);
}

}  // namespace
}  // namespace dreamgym
