#include "dreamgym/eval/stepwise_fidelity.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

// Answers from a list, and keeps what it was told.
class ListedDream final : public StepwiseDream {
 public:
  explicit ListedDream(std::vector<StepResult> answers) : answers_(std::move(answers)) {}
  void end_all() override {}
  std::vector<Observation> start(std::span<const std::size_t>,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t>) override {
    for (const Task& task : tasks) {
      told.push_back(task.settings.at(task_settings::kFirstObservation));
    }
    return std::vector<Observation>(tasks.size());
  }
  std::vector<StepResult> propose(std::span<const std::size_t> slots, std::span<const Action>) override {
    EXPECT_EQ(slots.size(), 1U);
    return {answers_.at(next_++)};
  }
  void commit(std::span<const std::size_t>, std::span<const Action>, std::span<const StepResult> results) override {
    told.push_back(results.front().observation.text);
  }
  std::vector<std::string> told;

 private:
  std::vector<StepResult> answers_;
  std::size_t next_ = 0;
};

Transition step(const std::string& trace, const std::string& after, double reward = 0) {
  Transition step;
  step.action = "act";
  step.reasoning_trace = trace;
  step.next_observation.text = after;
  step.reward = reward;
  step.terminated = reward > 0;
  return step;
}

StepResult answer(const std::string& text, bool success = false) {
  StepResult result;
  result.observation.text = text;
  result.terminated = success;
  result.reward = success ? 1 : 0;
  result.confidence = 0.5;
  return result;
}

TEST(StepwiseFidelity, AsksFromTheTrueHistory) {
  Trajectory story;
  story.steps = {step("effect: new", "A mug."), step("effect: done", "Done."), step("effect: done", "Lost."),
                 step("effect: done", "Over.", 1)};
  story.steps[0].observation.text = "A room.";
  StepResult lost = answer("");
  lost.info[transition_info::kInfrastructureError] = "no connection";
  ListedDream dream({answer("A cup."), answer("Done."), lost, answer("Not over.")});
  const StepwiseFidelity measured = measure_stepwise_fidelity(dream, std::span(&story, 1), nullptr);
  EXPECT_EQ(dream.told, (std::vector<std::string>{"A room.", "A mug.", "Done.", "Lost.", "Over."}));
  EXPECT_EQ(measured.unanswered, 1U);
  const ExperienceFidelity& fidelity = measured.fidelity;
  EXPECT_EQ(fidelity.hidden.steps, 1U);
  EXPECT_EQ(fidelity.predictable.steps, 2U);
  EXPECT_EQ(fidelity.predictable.observation_exact, 1U);
  EXPECT_EQ(fidelity.missed_successes, 1U);
  EXPECT_EQ(fidelity.reward_correct, 2U);
  ASSERT_EQ(fidelity.misses.size(), 1U);
  EXPECT_EQ(fidelity.misses[0], "act | expected: Over. | got: Not over.");
}

TEST(StepwiseFidelity, PassesOverEpisodesWithoutSteps) {
  ListedDream dream({});
  const std::vector<Trajectory> stories(2);
  EXPECT_EQ(measure_stepwise_fidelity(dream, stories, nullptr).fidelity.steps(), 0U);
}

}  // namespace
}  // namespace dreamgym
