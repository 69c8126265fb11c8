#include "dreamgym/apps/run_fidelity.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(FidelityMeasures, AShareOfNoStepsIsLeftOut) {
  const auto nothing = fidelity_measures({});
  EXPECT_EQ(nothing.at("held_out_steps"), 0.0);
  EXPECT_FALSE(nothing.contains("predictable_observation_exact")) << "0% would read as always wrong";
  EXPECT_FALSE(nothing.contains("reward_correct"));
  EXPECT_EQ(bound_errors(nothing).transition_error, 1.0);

  ExperienceFidelity known_only;
  known_only.predictable.steps = 4;
  known_only.predictable.observation_exact = 3;
  known_only.reward_correct = 4;
  const auto measures = fidelity_measures(known_only);
  EXPECT_EQ(measures.at("predictable_observation_exact"), 0.75);
  EXPECT_FALSE(measures.contains("hidden_observation_exact"));
  EXPECT_EQ(bound_errors(measures).transition_error, 0.25);
}

}  // namespace
}  // namespace dreamgym
