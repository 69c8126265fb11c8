#include "dreamgym/eval/fidelity_breakdown.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(FidelityBreakdown, CountsByStepPlaceSimilarityAndConfidence) {
  std::vector<StepPrediction> predictions;
  for (std::size_t t = 0; t < 12; ++t) {
    predictions.push_back({.episode = t % 2, .step = t, .exact = t < 6, .confidence = t < 6 ? 1.0 : 0.0,
                           .similarity = t < 3 ? std::optional(1.0) : t < 6 ? std::optional(0.6) : std::nullopt});
  }
  predictions.push_back({.step = 0, .hidden = true});  // nobody can know it
  const auto out = fidelity_breakdown(predictions, [](std::size_t episode) { return episode == 0; });
  EXPECT_DOUBLE_EQ(out.at("exact_at_steps_1_to_5"), 1.0);
  EXPECT_DOUBLE_EQ(out.at("exact_at_steps_6_to_10"), 0.2);
  EXPECT_DOUBLE_EQ(out.at("exact_at_steps_11_to_20"), 0.0);
  EXPECT_DOUBLE_EQ(out.at("exact_at_steps_11_to_20_n"), 2.0);
  EXPECT_DOUBLE_EQ(out.at("exact_at_similarity_1"), 1.0);
  EXPECT_DOUBLE_EQ(out.at("exact_at_similarity_0.5_to_0.8_n"), 3.0);
  EXPECT_DOUBLE_EQ(out.at("exact_at_similarity_none"), 0.0);
  EXPECT_DOUBLE_EQ(out.at("exact_in_places_seen"), 0.5);
  EXPECT_DOUBLE_EQ(out.at("confidence_ece"), 0.0);
  EXPECT_FALSE(fidelity_breakdown(predictions, {}).contains("exact_in_places_seen"));
  EXPECT_TRUE(fidelity_breakdown({}, {}).empty());
}

TEST(DriftBreakdown, AddsStepsUp) {
  DreamToReal replayed;
  replayed.steps_at = {10, 10, 10, 8, 8, 4, 2};
  replayed.same_at = {10, 9, 9, 7, 7, 2, 0};
  const auto out = drift_breakdown(replayed);
  EXPECT_NEAR(out.at("replay_same_at_steps_1_to_5"), 42.0 / 46, 1e-12);
  EXPECT_NEAR(out.at("replay_same_at_steps_6_to_10"), 2.0 / 6, 1e-12);
}

}  // namespace
}  // namespace dreamgym
