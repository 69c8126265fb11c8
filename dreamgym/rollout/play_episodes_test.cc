#include "dreamgym/rollout/play_episodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/llm/generation_queue.h"
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
      EXPECT_EQ(parts[i].ledgers, whole[i].ledgers) << i;
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
  const auto& [story, ledgers, group] = episodes.front();
  ASSERT_EQ(ledgers.size(), 1U);
  EXPECT_EQ(group, 0U);
  std::string expected = "<|agent|><|task|>" + story.task.instruction + "<|state|>" +
                         story.steps.front().observation.text + "<|action|>";
  for (std::size_t t = 0; t < story.steps.size(); ++t) {
    expected += story.steps[t].action + "<|observation|>";
    if (!story.steps[t].terminated) {
      expected += story.steps[t].next_observation.text + "<|task|>" + story.task.instruction + "<|action|>";
    }
  }
  EXPECT_EQ(stage.tokenizer->decode(ledgers.front().tokens()), expected);
}

/// The toy world, but the machine behind it fails: at the step of that number, counted over all of
/// its environments, or for good.
class FlakyWorld {
 public:
  explicit FlakyWorld(const World& world) : world_(world) {}

  std::unique_ptr<Environment> make() {
    return std::make_unique<Room>(world_.make_environment(), *this);
  }

  std::set<std::size_t> failing_steps;
  bool always = false;
  double reward = 0;  // NaN: paid at the failing steps instead of failing
  std::size_t steps = 0;

 private:
  class Room final : public Environment {
   public:
    Room(std::unique_ptr<Environment> inner, FlakyWorld& world)
        : inner_(std::move(inner)), world_(world) {}
    Observation reset(const Task& task, std::uint64_t seed) override {
      return inner_->reset(task, seed);
    }
    StepResult step(const Action& action) override {
      const bool fails = world_.failing_steps.contains(++world_.steps) || world_.always;
      if (fails && world_.reward == 0) {
        throw Error(ErrorKind::kIo, "the line is dead");
      }
      StepResult result = inner_->step(action);
      result.reward = fails ? world_.reward : result.reward;
      return result;
    }

   private:
    std::unique_ptr<Environment> inner_;
    FlakyWorld& world_;
  };

  const World& world_;
};

std::vector<Episode> play_flaky(Stage& stage,
                                FlakyWorld& world,
                                const RolloutOptions& options,
                                RolloutCost& cost) {
  SingleEnvironmentBatch environment(
      [&] { return world.make(); }, 1, SingleEnvironmentBatch::WhenItFails::kReport);
  TokenAgent agent(stage.model, stage.tokenizer, {});
  return play_episodes(
      agent, environment, stage.mappers.get(), stage.tasks, Rng(5), options, &cost);
}

TEST(PlayEpisodes, AnEnvironmentThatFailsNowAndThenChangesNoResult) {
  Stage stage;
  const auto whole = stage.play(12, 1);
  FlakyWorld world(*stage.world);
  world.failing_steps = {2, 5, 20};
  RolloutCost cost;
  const auto played = play_flaky(stage, world, {.max_steps = 6, .batch_size = 12}, cost);
  ASSERT_EQ(played.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(played[i].trajectory, whole[i].trajectory) << i;
    EXPECT_EQ(played[i].ledgers, whole[i].ledgers) << i;
  }
  EXPECT_EQ(cost.failed_attempts, 3U);
  EXPECT_EQ(cost.lost_episodes, 0U);
  EXPECT_EQ(cost.steps, world.steps);
}

TEST(PlayEpisodes, LeavesOutWhatFailsEveryTimeAndSaysWhy) {
  Stage stage;
  FlakyWorld world(*stage.world);
  world.always = true;
  RolloutCost cost;
  const auto played =
      play_flaky(stage, world, {.max_steps = 6, .batch_size = 12, .retries = 1}, cost);
  EXPECT_EQ(cost.failed_attempts, 24U);
  EXPECT_EQ(cost.lost_episodes, 12U);
  EXPECT_EQ(cost.lost_of_tasks.size(), 12U);
  EXPECT_EQ(most_lost(cost).second, 1U);
  EXPECT_TRUE(contains(cost.first_failure, "#0\": the line is dead")) << cost.first_failure;
  for (const Episode& episode : played) {
    EXPECT_EQ(episode.trajectory.outcome, Outcome::kInfrastructureError);
  }
}

TEST(PlayEpisodes, RetriesStayWithinTheirStepBudget) {
  Stage stage;
  FlakyWorld world(*stage.world);
  world.always = true;
  RolloutCost cost;
  (void)play_flaky(
      stage, world, {.max_steps = 6, .batch_size = 12, .retries = 9, .retry_budget = 13}, cost);
  EXPECT_LE(cost.steps, 12U + 13U);
  EXPECT_GT(cost.steps, 12U);
}

TEST(PlayEpisodes, ARewardThatIsNoNumberFailsTheEpisode) {
  Stage stage;
  FlakyWorld world(*stage.world);
  world.failing_steps = {1};
  world.reward = std::numeric_limits<double>::quiet_NaN();
  RolloutCost cost;
  const auto played =
      play_flaky(stage, world, {.max_steps = 6, .batch_size = 12, .retries = 0}, cost);
  EXPECT_EQ(played[0].trajectory.outcome, Outcome::kInfrastructureError);
  EXPECT_TRUE(contains(cost.first_failure, "step 1 was rewarded with nan")) << cost.first_failure;
  EXPECT_EQ(cost.lost_episodes, 1U);
}

// Takes 30 ms for a step; its episodes end with it, or never.
class Slow final : public Environment {
 public:
  explicit Slow(bool ends) : ends_(ends) {}
  Observation reset(const Task&, std::uint64_t) override { return {"a room", {"go on", "stay"}}; }
  StepResult step(const Action&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return {.observation = {"a room", {"go on", "stay"}}, .terminated = ends_};
  }

 private:
  bool ends_;
};

// The stage's tasks in slow environments that end at their first step, or never.
std::vector<Episode> play_slowly(Stage& stage,
                                 bool ends,
                                 std::size_t slots,
                                 const RolloutOptions& options,
                                 RolloutCost& cost) {
  SingleEnvironmentBatch environment([ends] { return std::make_unique<Slow>(ends); }, slots);
  TokenAgent agent(stage.model, stage.tokenizer, {});
  return play_episodes(agent, environment, nullptr, stage.tasks, Rng(5), options, &cost);
}

TEST(PlayEpisodes, LeavesOutWhatStillRunsWhenTheIterationsTimeIsUp) {
  Stage stage;
  RolloutCost cost;
  const auto played = play_slowly(stage, false, 12, {.max_steps = 1000, .rollout_seconds = 0.1}, cost);
  for (const Episode& episode : played) {
    EXPECT_EQ(episode.trajectory.outcome, Outcome::kInfrastructureError);
  }
  EXPECT_EQ(cost.failed_attempts, 12U) << "nothing is begun again";
  EXPECT_TRUE(contains(cost.first_failure, "the iteration was not over after 0.1 s")) << cost.first_failure;
}

TEST(PlayEpisodes, CutsAnEnvironmentThatNeverEnds) {
  class Endless final : public Environment {
   public:
    Observation reset(const Task&, std::uint64_t) override { return {"a room", {"go on", "stay"}}; }
    StepResult step(const Action&) override { return {.observation = {"a room", {"go on", "stay"}}}; }
  };
  Stage stage;
  SingleEnvironmentBatch environment([] { return std::make_unique<Endless>(); }, 1);
  TokenAgent agent(stage.model, stage.tokenizer, {});
  const auto played =
      play_episodes(agent, environment, nullptr, stage.tasks, Rng(5), {.max_steps = 3});
  for (const Episode& episode : played) {
    EXPECT_EQ(episode.trajectory.steps.size(), 3U);
    EXPECT_EQ(episode.trajectory.outcome, Outcome::kTruncated);
  }
}

TEST(PlayEpisodes, ASlowEnvironmentHoldsUpNobodyElse) {
  constexpr std::size_t kSteps = 3;
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t done = 0;         // episodes that took all their steps
    bool others_were_done = false;
  };
  // The first of them answers only when all the other episodes are through, or after a long while.
  class Room final : public Environment {
   public:
    Room(Shared& shared, std::size_t num_others, bool slow)
        : shared_(shared), num_others_(num_others), slow_(slow) {}
    Observation reset(const Task&, std::uint64_t) override {
      taken_ = 0;
      return {"a room", {"go on", "stay"}};
    }
    StepResult step(const Action&) override {
      std::unique_lock lock(shared_.mutex);
      if (std::exchange(slow_, false)) {
        shared_.others_were_done = shared_.changed.wait_for(
            lock, std::chrono::seconds(20), [this] { return shared_.done == num_others_; });
      }
      shared_.done += ++taken_ == kSteps ? 1 : 0;
      shared_.changed.notify_all();
      return {.observation = {"a room", {"go on", "stay"}}};
    }

   private:
    Shared& shared_;
    std::size_t num_others_;
    bool slow_;
    std::size_t taken_ = 0;
  };
  Stage stage;
  for (const std::size_t batch_size : {12, 2}) {  // with two places the others take turns in one
    Shared shared;
    std::size_t made = 0;
    SingleEnvironmentBatch environment(
        [&] { return std::make_unique<Room>(shared, stage.tasks.size() - 1, made++ == 0); }, 2);
    TokenAgent agent(stage.model, stage.tokenizer, {});
    const auto played = play_episodes(agent,
                                      environment,
                                      nullptr,
                                      stage.tasks,
                                      Rng(5),
                                      {.max_steps = kSteps, .batch_size = batch_size});
    EXPECT_TRUE(shared.others_were_done) << batch_size;
    for (const Episode& episode : played) {
      EXPECT_EQ(episode.trajectory.steps.size(), kSteps);
    }
  }
}

// A model whose answers to one session come last, when everything else is over.
class HesitantModel final : public LanguageModel {
 public:
  HesitantModel(LanguageModel& model, std::uint64_t session, std::function<bool()> is_all_else_over)
      : model_(model), session_(session), is_all_else_over_(std::move(is_all_else_over)) {}
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    return model_.generate(requests);
  }
  std::unique_ptr<GenerationQueue> open_queue() override { return std::make_unique<Queue>(*this); }
  void release(std::span<const std::uint64_t>) override {}
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override { return model_.max_context_tokens(); }
  [[nodiscard]] std::string version() const override { return model_.version(); }

 private:
  class Queue final : public GenerationQueue {
   public:
    explicit Queue(HesitantModel& model) : model_(model) {}
    void submit(std::uint64_t ticket, GenerationRequest request) override {
      waiting_.emplace(ticket, std::move(request));
    }
    std::vector<Ended> collect(std::chrono::nanoseconds) override {
      std::map<std::uint64_t, GenerationRequest> now;
      for (const auto& [ticket, request] : waiting_) {
        if (request.session != model_.session_ || model_.is_all_else_over_()) {
          now.emplace(ticket, request);
        }
      }
      for (const auto& [ticket, request] : now) {
        waiting_.erase(ticket);
      }
      return generate_all(model_, std::move(now));
    }
    std::vector<Ended> finish() override { return generate_all(model_, std::exchange(waiting_, {})); }
    [[nodiscard]] bool idle() const override { return waiting_.empty(); }

   private:
    HesitantModel& model_;
    std::map<std::uint64_t, GenerationRequest> waiting_;
  };

  LanguageModel& model_;
  std::uint64_t session_;
  std::function<bool()> is_all_else_over_;
};

TEST(PlayEpisodes, ALongReplyHoldsUpNobodyElse) {
  Stage stage;
  const auto whole = stage.play(12, 1);
  std::size_t steps_of_others = 0;
  for (std::size_t i = 1; i < whole.size(); ++i) {
    steps_of_others += whole[i].trajectory.steps.size();
  }
  std::atomic<std::size_t> steps = 0;
  class Counted final : public Environment {
   public:
    Counted(std::unique_ptr<Environment> inner, std::atomic<std::size_t>& steps)
        : inner_(std::move(inner)), steps_(steps) {}
    Observation reset(const Task& task, std::uint64_t seed) override { return inner_->reset(task, seed); }
    StepResult step(const Action& action) override {
      ++steps_;
      return inner_->step(action);
    }

   private:
    std::unique_ptr<Environment> inner_;
    std::atomic<std::size_t>& steps_;
  };
  for (const std::size_t batch_size : {12, 3}) {
    steps = 0;
    HesitantModel model(stage.model, 1, [&] { return steps >= steps_of_others; });
    SingleEnvironmentBatch environment(
        [&] { return std::make_unique<Counted>(stage.world->make_environment(), steps); }, 2);
    TokenAgent agent(model, stage.tokenizer, {});
    const auto played = play_episodes(agent,
                                      environment,
                                      stage.mappers.get(),
                                      stage.tasks,
                                      Rng(5),
                                      {.max_steps = 6, .batch_size = batch_size});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(played[i].trajectory, whole[i].trajectory) << i;
      EXPECT_EQ(played[i].ledgers, whole[i].ledgers) << i;
    }
  }
}

TEST(PlayEpisodes, WhatHasNoPlaceYetIsLeftOutWhenTheTimeIsUp) {
  Stage stage;
  RolloutCost cost;
  const auto played =
      play_slowly(stage, true, 1, {.max_steps = 5, .batch_size = 1, .rollout_seconds = 0.05}, cost);
  EXPECT_FALSE(played.front().trajectory.steps.empty());
  EXPECT_EQ(played.back().trajectory.outcome, Outcome::kInfrastructureError);
  EXPECT_EQ(played.back().trajectory.task, stage.tasks.back());
  EXPECT_LT(cost.steps, stage.tasks.size());
  EXPECT_EQ(cost.lost_episodes, stage.tasks.size() - cost.steps);
  EXPECT_TRUE(contains(cost.first_failure, "the iteration was not over after 0.05 s")) << cost.first_failure;
}

}  // namespace
}  // namespace dreamgym
