#include "dreamgym/rollout/play_episodes.h"

#include <gtest/gtest.h>

#include "dreamgym/env/environment_batch.h"
#include "dreamgym/llm/scripted_model.h"
#include "dreamgym/worlds/catalog.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

struct Stage {
  Stage()
      : world(make_world("toy")),
        mappers(world->make_action_mapper_factory()),
        tasks(world->tasks({.count = 12, .seed = 4})),
        tokenizer(test_tokenizer({tasks[0].instruction, "open the red box", "You open the box."})),
        // Walks the trie by the request's own seed.
        model(tokenizer, [](const GenerationRequest& request) {
          std::vector<TokenId> out;
          TokenTrie::Node node = request.choices->root();
          std::uint64_t draw = request.seed;
          while (!request.choices->leaf(node)) {
            const auto allowed = request.choices->allowed(node);
            const std::size_t pick = draw % allowed.size();
            draw = draw / 7 + 13;
            out.push_back(allowed[pick]);
            node = request.choices->child(node, pick);
          }
          return out;
        }) {}

  std::vector<Episode> play(std::size_t batch_size, std::size_t threads, RolloutCost* cost = nullptr) {
    SingleEnvironmentBatch environment([this] { return world->make_environment(); }, threads);
    TokenAgent agent(model, tokenizer, {});
    return play_episodes(agent,
                         environment,
                         mappers.get(),
                         tasks,
                         Rng(5),
                         {.max_steps = 6, .batch_size = batch_size},
                         cost);
  }

  std::unique_ptr<World> world;
  std::unique_ptr<ActionMapperFactory> mappers;
  std::vector<Task> tasks;
  std::shared_ptr<const BpeTokenizer> tokenizer;
  ScriptedModel model;
};

TEST(PlayEpisodes, DoesNotDependOnBatchSizeOrThreads) {
  Stage stage;
  const auto whole = stage.play(12, 1);
  for (const auto& [batch, threads] : {std::pair{1, 1}, std::pair{5, 2}, std::pair{12, 4}}) {
    const auto parts = stage.play(batch, threads);
    ASSERT_EQ(parts.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(parts[i].trajectory, whole[i].trajectory) << i;
      EXPECT_EQ(parts[i].ledger, whole[i].ledger) << i;
    }
  }
}

TEST(PlayEpisodes, EndsEveryEpisodeAndCountsItsSteps) {
  Stage stage;
  RolloutCost cost;
  const auto episodes = stage.play(12, 1, &cost);
  std::size_t steps = 0;
  for (const Episode& episode : episodes) {
    const auto& story = episode.trajectory;
    ASSERT_FALSE(story.steps.empty());
    ASSERT_LE(story.steps.size(), 6U);
    steps += story.steps.size();
    EXPECT_TRUE(story.steps.back().terminated || story.steps.back().truncated);
    for (std::size_t t = 0; t + 1 < story.steps.size(); ++t) {
      EXPECT_FALSE(story.steps[t].terminated || story.steps[t].truncated);
      EXPECT_EQ(story.steps[t].next_observation, story.steps[t + 1].observation);
    }
    EXPECT_EQ(story.success(), story.episode_return >= 1);
  }
  EXPECT_EQ(cost.steps, steps);
  EXPECT_GT(cost.sampled_tokens, steps);
}

TEST(PlayEpisodes, LedgerSpellsTheEpisode) {
  Stage stage;
  const auto episodes = stage.play(12, 1);
  const auto& [story, ledger] = episodes.front();
  std::string expected = "<|agent|><|task|>" + story.task.instruction + "<|state|>" +
                         story.steps.front().observation.text + "<|action|>";
  for (std::size_t t = 0; t < story.steps.size(); ++t) {
    expected += story.steps[t].action + "<|observation|>";
    if (!story.steps[t].terminated) {
      expected += story.steps[t].next_observation.text + "<|task|>" + story.task.instruction + "<|action|>";
    }
  }
  EXPECT_EQ(stage.tokenizer->decode(ledger.tokens()), expected);
}

}  // namespace
}  // namespace dreamgym
