#include "dreamgym/experience/training_data.h"

#include <gtest/gtest.h>

#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

Trajectory episode(std::size_t num_steps) {
  Trajectory story;
  story.task.instruction = "put a mug in the desk";
  for (std::size_t t = 0; t < num_steps; ++t) {
    Transition step;
    step.observation.text = "You see a desk 1, and a mug 1.";
    step.action = "look at the desk 1 once more and then at the mug 1";
    step.reasoning_trace = "effect: again; at: desk 1; hold: nothing";
    step.next_observation.text = step.observation.text;
    story.steps.push_back(step);
  }
  return story;
}

TEST(UsualHistory, IsWhatNineInTenStepsHaveBeforeThem) {
  const ExperiencePrompt prompt(
      test_tokenizer({"put a mug in the desk", "You see a desk 1, and a mug 1.", "look at the desk 1 once more"}), 64);
  const auto usual = [&](std::vector<Trajectory> stories, std::size_t max_tokens) {
    ExperienceDataOptions options;
    options.max_tokens = max_tokens;
    return usual_history(prompt, stories, options);
  };
  // Every step adds as much; the 9th of 10, the 18th of 20 and the 27th of 30 steps count.
  const std::size_t ten = usual({episode(10)}, 100'000);
  const std::size_t twenty = usual({episode(20)}, 100'000);
  const std::size_t thirty = usual({episode(30)}, 100'000);
  EXPECT_GT(twenty, ten);
  EXPECT_EQ(thirty - twenty, twenty - ten);
  EXPECT_EQ(usual({episode(30)}, 100), 100U) << "no more than is taught";
  EXPECT_EQ(usual({}, 777), 777U);
  EXPECT_GE(usual({episode(1)}, 100'000), 64U) << "never next to nothing";
}

}  // namespace
}  // namespace dreamgym
