#include "dreamgym/experience/fallback_dream.h"

#include <gtest/gtest.h>

#include "dreamgym/experience/reality_witness.h"

namespace dreamgym {
namespace {

Task room(const std::string& parent = "") {
  Task task;
  task.id = "t";
  task.parent_task = parent;
  task.settings[task_settings::kFirstObservation] = "A room.";
  return task;
}

// Says the same of everything.
class FixedDream final : public StepwiseDream {
 public:
  explicit FixedDream(StepResult answer) : answer(std::move(answer)) {}
  void end_all() override {}
  std::vector<Observation> start(std::span<const std::size_t>,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t>) override {
    return std::vector<Observation>(tasks.size(), Observation{"A room.", {}});
  }
  std::vector<StepResult> propose(std::span<const std::size_t> slots, std::span<const Action>) override {
    asked += slots.size();
    return std::vector<StepResult>(slots.size(), answer);
  }
  void commit(std::span<const std::size_t>, std::span<const Action>, std::span<const StepResult> results) override {
    for (const StepResult& result : results) {
      committed.push_back(result.observation.text);
    }
  }
  StepResult answer;
  std::size_t asked = 0;
  std::vector<std::string> committed;
};

StepResult says(const std::string& text, double confidence, const std::string& trace = "effect: done") {
  StepResult result;
  result.observation.text = text;
  result.confidence = confidence;
  result.reasoning_trace = trace;
  return result;
}

StepResult act(StepwiseDream& dream, const Action& action = "push") {
  const std::size_t slot = 0;
  return dream.step(std::span(&slot, 1), std::span(&action, 1)).front();
}

void begin(StepwiseDream& dream, const Task& task = room()) {
  const std::uint64_t seed = 1;
  (void)dream.reset(std::span(&task, 1), std::span(&seed, 1));
}

TEST(FallbackDream, AsksTheSecondOnlyWhereTheFirstIsUnsure) {
  FixedDream first(says("maybe", 0.4));
  FixedDream second(says("surely", 0.9));
  FallbackDream dream(first, second, "other", {.below = 0.5});
  begin(dream);
  const StepResult result = act(dream);
  EXPECT_EQ(result.observation.text, "surely");
  EXPECT_EQ(result.info.at(dream_info::kFallback), "other (confidence was 0.400)");
  EXPECT_EQ(first.committed, std::vector<std::string>{"surely"}) << "both go on from what happened";
  EXPECT_EQ(second.committed, first.committed);
  first.answer = says("sure", 0.6);
  EXPECT_EQ(act(dream).observation.text, "sure");
  EXPECT_EQ(second.asked, 1U);
  EXPECT_EQ(dream.counters().steps, 2U);
  EXPECT_EQ(dream.counters().unsure, 1U);
  EXPECT_EQ(dream.counters().changed, 1U);
}

TEST(FallbackDream, LeavesInventedContentsAlone) {
  FixedDream first(says("a mug 1", 0.1, "effect: new; at: desk 1"));
  FixedDream second(says("a cup 1", 0.9));
  FallbackDream dream(first, second, "other", {});
  begin(dream);
  EXPECT_EQ(act(dream).observation.text, "a mug 1");
  FallbackDream asking(first, second, "other", {.ask_about_hidden = true});
  begin(asking);
  EXPECT_EQ(act(asking).observation.text, "a cup 1");
}

TEST(FallbackDream, NeverAsksMoreThanItsBudget) {
  FixedDream first(says("maybe", 0.4));
  FixedDream second(says("surely", 0.9));
  FallbackDream dream(first, second, "other", {.budget = 2});
  begin(dream);
  for (int i = 0; i < 5; ++i) {
    (void)act(dream);
  }
  EXPECT_EQ(second.asked, 2U);
  EXPECT_EQ(dream.counters().asked, 2U);
  EXPECT_EQ(dream.counters().unsure, 5U);
}

TEST(FallbackDream, KeepsTheFirstWhereTheSecondDoesNotKnow) {
  FixedDream first(says("maybe", 0.4));
  for (const char* key : {dream_info::kNoAnswer, transition_info::kInfrastructureError}) {
    StepResult nothing = says("", 1);
    nothing.info[key] = "gone";
    FixedDream second(nothing);
    FallbackDream dream(first, second, "other", {});
    begin(dream);
    EXPECT_EQ(act(dream).observation.text, "maybe");
    EXPECT_EQ(dream.counters().unanswered, 1U);
  }
}

TEST(FallbackDream, AsAMixtureTakesTheMoreConfident) {
  FixedDream first(says("maybe", 0.4));
  FixedDream second(says("perhaps", 0.3));
  FallbackDream dream(first, second, "other", {.most_confident = true});
  begin(dream);
  EXPECT_EQ(act(dream).observation.text, "maybe");
  EXPECT_EQ(dream.counters().overruled, 0U);
  second.answer = says("surely", 0.5);
  EXPECT_EQ(act(dream).observation.text, "surely");
}

// Counts; "stop" ends it with a reward.
class Counter final : public Environment {
 public:
  explicit Counter(std::size_t& steps) : steps_(steps) {}
  Observation reset(const Task&, std::uint64_t) override {
    count_ = 0;
    return {"A room.", {}};
  }
  StepResult step(const Action& action) override {
    ++steps_;
    StepResult result;
    result.observation.text = std::to_string(++count_);
    result.terminated = action == "stop";
    result.reward = result.terminated ? 1 : 0;
    return result;
  }

 private:
  std::size_t& steps_;
  int count_ = 0;
};

class Witness : public testing::Test {
 protected:
  std::size_t steps = 0;
  RealityWitness reality{[this] { return std::make_unique<Counter>(steps); },
                         [](Trajectory& story) { story.steps.back().reasoning_trace = "effect: done; at: " + story.task.id; }};
  void happened(const Action& action, const std::string& text) {
    const std::size_t slot = 0;
    const StepResult result = says(text, 1);
    reality.commit(std::span(&slot, 1), std::span(&action, 1), std::span(&result, 1));
  }
};

TEST_F(Witness, AnswersAsLongAsTheDreamIsReal) {
  begin(reality);
  happened("push", "1");
  happened("push", "2");
  EXPECT_EQ(steps, 0U) << "nothing was asked yet";
  const StepResult third = act(reality);
  EXPECT_EQ(third.observation.text, "3");
  EXPECT_EQ(third.reasoning_trace, "effect: done; at: t");
  EXPECT_EQ(reality.real_steps(), 3U);
  EXPECT_EQ(act(reality, "stop").reward, 1);
  EXPECT_EQ(steps, 4U) << "led on, not begun anew";
}

TEST_F(Witness, SaysSoWhereTheDreamHasGoneAnotherWay) {
  begin(reality);
  happened("push", "1");
  happened("push", "seven");
  EXPECT_NE(act(reality).info.at(dream_info::kNoAnswer).find("another way at step 2"), std::string::npos);
  (void)act(reality);
  EXPECT_EQ(reality.real_steps(), 2U) << "and costs nothing more";
}

TEST_F(Witness, IsNoWitnessOfWhatTheDreamPutInItsPlace) {
  begin(reality);
  const std::size_t slot = 0;
  const Action action = "push";
  (void)reality.propose(std::span(&slot, 1), std::span(&action, 1));
  happened("push", "seven");
  EXPECT_TRUE(act(reality).info.contains(dream_info::kNoAnswer));
}

TEST_F(Witness, IsNoWitnessOfWhatComesAfterRealityHasEnded) {
  begin(reality);
  const std::size_t slot = 0;
  const Action action = "stop";
  EXPECT_TRUE(reality.propose(std::span(&slot, 1), std::span(&action, 1)).front().terminated);
  happened("stop", "1");  // the dream says the same, and goes on
  EXPECT_TRUE(act(reality).info.contains(dream_info::kNoAnswer));
  EXPECT_EQ(steps, 1U);
}

TEST_F(Witness, KeepsToItsBudgetAndToTasksThatReallyAre) {
  RealityWitness poor([this] { return std::make_unique<Counter>(steps); }, {}, 2);
  begin(poor);
  (void)act(poor);
  (void)act(poor);
  EXPECT_NE(act(poor).info.at(dream_info::kNoAnswer).find("budget"), std::string::npos);
  EXPECT_EQ(steps, 2U);
  begin(reality, room("parent"));
  EXPECT_NE(act(reality).info.at(dream_info::kNoAnswer).find("generated"), std::string::npos);
}

}  // namespace
}  // namespace dreamgym
