#include "dreamgym/env/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/env/recording.h"
#include "dreamgym/env/scripted_policy.h"
#include "dreamgym/env/time_limit.h"
#include "tests/contract/environment_contract.h"

namespace dreamgym {
namespace {

/// Counts "up"s; ends with reward 1 at the task's number (instruction), its seed moves the start.
class Counter final : public Environment {
 public:
  Observation reset(const Task& task, std::uint64_t seed) override {
    count_ = static_cast<int>(seed % 2);
    goal_ = std::stoi(task.instruction);
    running_ = true;
    return observation();
  }
  StepResult step(const Action& action) override {
    check(running_, "running");
    const bool valid = action == "up" || action == "down";
    count_ += action == "up" ? 1 : action == "down" ? -1 : 0;
    running_ = count_ != goal_;
    return {.observation = observation(),
            .reward = running_ ? 0.0 : 1.0,
            .terminated = !running_,
            .action_valid = valid,
            .info = {{"count", std::to_string(count_)}}};
  }

 private:
  [[nodiscard]] Observation observation() const {
    return {"count " + std::to_string(count_), {"up", "down"}};
  }
  int count_ = 0;
  int goal_ = 0;
  bool running_ = false;
};

std::unique_ptr<Environment> make_counter() {
  return std::make_unique<Counter>();
}

Task count_to(int goal) {
  return {.id = std::to_string(goal), .instruction = std::to_string(goal)};
}

std::vector<Action> ups(const Task& task) {
  return std::vector<Action>(static_cast<std::size_t>(std::stoi(task.instruction)), "up");
}

EnvironmentContract time_limit_contract() {
  return {.make = [] { return std::make_unique<TimeLimit>(make_counter(), 4); },
          .tasks = {count_to(2), count_to(99)},
          .actions_to_the_end = ups};
}
DREAMGYM_ENVIRONMENT_CONTRACT(TimeLimitContract, time_limit_contract())

EnvironmentContract recording_contract() {
  return {.make = [] { return std::make_unique<Recording>(make_counter()); },
          .tasks = {count_to(2), count_to(3)},
          .actions_to_the_end = ups};
}
DREAMGYM_ENVIRONMENT_CONTRACT(RecordingContract, recording_contract())

EnvironmentContract batched_contract() {
  return {.make =
              [] {
                return std::make_unique<BatchedEnvironment>(
                    std::make_unique<SingleEnvironmentBatch>(make_counter, 2));
              },
          .tasks = {count_to(2), count_to(3)},
          .actions_to_the_end = ups};
}
DREAMGYM_ENVIRONMENT_CONTRACT(BatchedEnvironmentContract, batched_contract())

TEST(TimeLimit, CutsAnEpisodeThatDoesNotEnd) {
  TimeLimit environment(make_counter(), 2);
  environment.reset(count_to(9), 0);
  EXPECT_FALSE(environment.step("up").truncated);
  EXPECT_TRUE(environment.step("up").truncated);
  EXPECT_THROW(environment.step("up"), LogicError);
}

TEST(TimeLimit, LeavesANaturalEndAtTheLimitAlone) {
  TimeLimit environment(make_counter(), 2);
  environment.reset(count_to(2), 0);
  environment.step("up");
  const StepResult last = environment.step("up");
  EXPECT_TRUE(last.terminated);
  EXPECT_FALSE(last.truncated);
}

TEST(TimeLimit, CountsEachEpisodeAnew) {
  TimeLimit environment(make_counter(), 2);
  environment.reset(count_to(9), 0);
  environment.step("up");
  environment.reset(count_to(9), 0);
  EXPECT_FALSE(environment.step("up").truncated);
}

TEST(TimeLimit, RefusesALimitOfNoSteps) {
  EXPECT_THROW(TimeLimit(make_counter(), 0), Error);
}

TEST(Recording, HoldsTheEpisodeSoFar) {
  Recording environment(make_counter(), {.episode_id = "e", .policy_version = "me"});
  environment.reset(count_to(2), 1);
  EXPECT_EQ(environment.trajectory().outcome, Outcome::kTruncated);
  environment.step("jump");
  environment.step("up");
  const Trajectory& trajectory = environment.trajectory();
  EXPECT_EQ(trajectory.episode_id, "e");
  EXPECT_EQ(trajectory.policy_version, "me");
  EXPECT_EQ(trajectory.task, count_to(2));
  EXPECT_EQ(trajectory.seed, 1);
  ASSERT_EQ(trajectory.steps.size(), 2);
  EXPECT_FALSE(trajectory.steps[0].action_valid);
  EXPECT_EQ(trajectory.steps[0].observation.text, "count 1");
  EXPECT_EQ(trajectory.steps[1].observation, trajectory.steps[0].next_observation);
  EXPECT_EQ(trajectory.steps[1].next_observation.text, "count 2");
  EXPECT_EQ(trajectory.steps[1].info.at("count"), "2");
  EXPECT_EQ(trajectory.outcome, Outcome::kSuccess);
  EXPECT_EQ(trajectory.episode_return, 1);
}

TEST(Recording, ForgetsTheEpisodeBefore) {
  Recording environment(make_counter());
  environment.reset(count_to(2), 1);
  environment.step("up");
  environment.reset(count_to(5), 0);
  EXPECT_TRUE(environment.trajectory().steps.empty());
  EXPECT_EQ(environment.trajectory().outcome, Outcome::kTruncated);
}

TEST(SingleEnvironmentBatch, AnswersEachSlotLikeAnEnvironmentOfItsOwn) {
  const std::vector<Task> tasks = {count_to(3), count_to(5), count_to(4)};
  const std::vector<std::uint64_t> seeds = {0, 1, 0};
  for (const std::size_t threads : {1, 4}) {
    SingleEnvironmentBatch batch(make_counter, threads);
    const auto first = batch.reset(tasks, seeds);
    EXPECT_EQ(first[0].text, "count 0");
    EXPECT_EQ(first[1].text, "count 1");
    const std::vector<std::size_t> slots = {2, 0};
    const std::vector<Action> actions = {"up", "down"};
    const auto results = batch.step(slots, actions);
    EXPECT_EQ(results[0].observation.text, "count 1");
    EXPECT_EQ(results[1].observation.text, "count -1");
    EXPECT_EQ(
        batch.step(std::vector<std::size_t>{1}, std::vector<Action>{"up"})[0].observation.text,
        "count 2");
  }
}

TEST(SingleEnvironmentBatch, RefusesSlotsThatWereNotResetOrAreNamedTwice) {
  SingleEnvironmentBatch batch(make_counter, 1);
  const std::vector<Action> two = {"up", "up"};
  EXPECT_THROW(batch.step(std::vector<std::size_t>{0}, std::vector<Action>{"up"}), LogicError);
  batch.reset(std::vector{count_to(3), count_to(3)}, std::vector<std::uint64_t>{0, 0});
  EXPECT_THROW(batch.step(std::vector<std::size_t>{0, 0}, two), LogicError);
  EXPECT_THROW(batch.step(std::vector<std::size_t>{0, 2}, two), LogicError);
  batch.reset(std::vector{count_to(3)}, std::vector<std::uint64_t>{0});
  EXPECT_THROW(batch.step(std::vector<std::size_t>{1}, std::vector<Action>{"up"}), LogicError);
}

// All that is due, by slot.
std::vector<SlotAnswer> all_answers(EnvironmentBatch& batch, std::size_t count) {
  std::vector<SlotAnswer> answers;
  while (answers.size() < count) {
    std::ranges::move(batch.collect(kUntilItComes), std::back_inserter(answers));
  }
  std::ranges::sort(answers, {}, &SlotAnswer::slot);
  return answers;
}

TEST(SingleEnvironmentBatch, SubmittedSlotsAnswerAsSteppedOnes) {
  const std::vector<Task> tasks = {count_to(3), count_to(5), count_to(4)};
  const std::vector<std::uint64_t> seeds = {0, 1, 0};
  for (const std::size_t threads : {1, 4}) {
    SingleEnvironmentBatch batch(make_counter, threads);
    batch.reset(tasks, seeds);
    EXPECT_TRUE(batch.collect(kUntilItComes).empty());
    batch.submit(std::vector<std::size_t>{2, 0}, std::vector<Action>{"up", "down"});
    EXPECT_THROW(batch.submit(std::vector<std::size_t>{2}, std::vector<Action>{"up"}), LogicError);
    EXPECT_THROW(batch.step(std::vector<std::size_t>{2}, std::vector<Action>{"up"}), LogicError);
    const auto answers = all_answers(batch, 2);
    EXPECT_EQ(answers[0].slot, 0U);
    EXPECT_EQ(answers[0].result.observation.text, "count -1");
    EXPECT_EQ(answers[1].slot, 2U);
    EXPECT_EQ(answers[1].result.observation.text, "count 1");
    EXPECT_TRUE(batch.collect(kUntilItComes).empty());
    batch.submit(std::vector<std::size_t>{1}, std::vector<Action>{"up"});
    batch.reset(tasks, seeds);  // nobody collected that
    EXPECT_TRUE(batch.collect(kUntilItComes).empty());
  }
}

TEST(SingleEnvironmentBatch, AnEpisodeStartsInItsSlotWhileOthersGoOn) {
  for (const std::size_t threads : {1, 4}) {
    SingleEnvironmentBatch batch(make_counter, threads);
    batch.reset(std::vector{count_to(3), count_to(5)}, std::vector<std::uint64_t>{0, 1});
    batch.submit(std::vector<std::size_t>{1}, std::vector<Action>{"up"});
    EXPECT_THROW(batch.submit_start(std::vector<std::size_t>{1}, std::vector{count_to(3)}, std::vector<std::uint64_t>{0}),
                 LogicError);
    batch.submit_start(
        std::vector<std::size_t>{0, 3}, std::vector{count_to(2), count_to(2)}, std::vector<std::uint64_t>{1, 0});
    const auto answers = all_answers(batch, 3);
    EXPECT_EQ(answers[0].result.observation.text, "count 1");
    EXPECT_EQ(answers[1].result.observation.text, "count 2");
    EXPECT_EQ(answers[2].slot, 3U);
    EXPECT_EQ(answers[2].result.observation.text, "count 0");
    EXPECT_THROW(batch.step(std::vector<std::size_t>{2}, std::vector<Action>{"up"}), LogicError);
    EXPECT_EQ(batch.step(std::vector<std::size_t>{3}, std::vector<Action>{"up"})[0].observation.text, "count 1");
  }
}

TEST(SingleEnvironmentBatch, CollectWaitsNoLongerThanItIsTold) {
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
  } gate;
  class Shut final : public Environment {
   public:
    explicit Shut(Gate& gate) : gate_(gate) {}
    Observation reset(const Task&, std::uint64_t) override {
      std::unique_lock lock(gate_.mutex);
      gate_.changed.wait(lock, [this] { return gate_.open; });
      return {"open", {}};
    }
    StepResult step(const Action&) override { return {}; }

   private:
    Gate& gate_;
  };
  SingleEnvironmentBatch batch([&] { return std::make_unique<Shut>(gate); }, 1);
  EXPECT_TRUE(batch.answers_later());
  batch.submit_start(std::vector<std::size_t>{0}, std::vector{count_to(1)}, std::vector<std::uint64_t>{0});
  EXPECT_TRUE(batch.collect({}).empty());
  {
    const std::lock_guard lock(gate.mutex);
    gate.open = true;
  }
  gate.changed.notify_all();
  EXPECT_EQ(all_answers(batch, 1)[0].result.observation.text, "open");
}

TEST(SingleEnvironmentBatch, PassesOnWhatASubmittedStepThrows) {
  class Broken final : public Environment {
   public:
    Observation reset(const Task&, std::uint64_t) override { return {}; }
    StepResult step(const Action& action) override {
      throw Error(action == "lose" ? ErrorKind::kIo : ErrorKind::kInvalidArgument, action);
    }
  };
  SingleEnvironmentBatch batch([] { return std::make_unique<Broken>(); },
                               2,
                               SingleEnvironmentBatch::WhenItFails::kReport);
  batch.reset(std::vector{count_to(1), count_to(1)}, std::vector<std::uint64_t>{0, 0});
  batch.submit(std::vector<std::size_t>{0}, std::vector<Action>{"lose"});
  EXPECT_EQ(batch.collect(kUntilItComes).size(), 1U);
  EXPECT_EQ(batch.failure(0), "lose");
  batch.submit(std::vector<std::size_t>{1}, std::vector<Action>{"misuse"});
  EXPECT_THROW((void)batch.collect(kUntilItComes), Error);
}

/// Always "up"; remembers whether it was told what was really done.
class AlwaysUp final : public ScriptedPolicy {
 public:
  explicit AlwaysUp(std::vector<Action>& told) : told_(&told) {}
  void reset(const Task&, const Observation&, std::uint64_t) override {}
  Action act() override { return "up"; }
  void observe(const Action& action, const Observation&) override { told_->push_back(action); }

 private:
  std::vector<Action>* told_;
};

/// Offers "a" and "b" whatever happens.
class TwoCandidates final : public ActionMapper {
 public:
  void reset(std::string_view, std::string_view) override {}
  void observe(std::string_view, std::string_view) override {}
  [[nodiscard]] std::vector<std::string> candidates() const override { return {"a", "b"}; }
};

TEST(RandomPolicy, PrefersAdmissibleActionsAndElseAsksTheMapper) {
  const auto policy = make_random_policy(std::make_unique<TwoCandidates>());
  policy->reset({}, {"text", {"only"}}, 1);
  EXPECT_EQ(policy->act(), "only");
  policy->observe("only", {"text", {}});
  std::set<Action> seen;
  for (int i = 0; i < 50; ++i) {
    seen.insert(policy->act());
    policy->observe("a", {"text", {}});
  }
  EXPECT_EQ(seen, (std::set<Action>{"a", "b"}));
}

TEST(RandomPolicy, PlaysTheSameForTheSameSeed) {
  std::vector<std::vector<Action>> plays(2);
  for (auto& play : plays) {
    const auto policy = make_random_policy(std::make_unique<TwoCandidates>());
    policy->reset({}, {"text", {}}, 7);
    for (int i = 0; i < 30; ++i) {
      play.push_back(policy->act());
      policy->observe(play.back(), {"text", {}});
    }
  }
  EXPECT_EQ(plays[0], plays[1]);
}

TEST(NoisyPolicy, OverrulesAsOftenAsAskedAndTellsWhatWasDone) {
  std::vector<Action> told;
  for (const auto& [noise, low, high] :
       std::vector<std::array<double, 3>>{{0, 0, 0}, {0.3, 230, 370}, {1, 1000, 1000}}) {
    told.clear();
    const auto policy = make_noisy_policy(
        std::make_unique<AlwaysUp>(told), std::make_unique<TwoCandidates>(), noise);
    policy->reset({}, {"text", {}}, 3);
    double mistakes = 0;
    for (int i = 0; i < 1000; ++i) {
      const Action action = policy->act();
      mistakes += action == "up" ? 0 : 1;
      policy->observe(action, {"text", {}});
      EXPECT_EQ(told.back(), action);
    }
    EXPECT_GE(mistakes, low);
    EXPECT_LE(mistakes, high);
  }
}

TEST(NoisyPolicy, RefusesANoiseThatIsNoProbability) {
  std::vector<Action> told;
  for (const double noise : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(make_noisy_policy(std::make_unique<AlwaysUp>(told), nullptr, noise), Error);
  }
}

}  // namespace
}  // namespace dreamgym
