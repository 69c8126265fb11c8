#include "dreamgym/train/preference_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/error_message.h"
#include "tests/golden_numbers.h"

namespace dreamgym {
namespace {

PreferenceLossKind kind_from(const std::string& name) {
  return name == "ipo"     ? PreferenceLossKind::kIpo
         : name == "hinge" ? PreferenceLossKind::kHinge
                           : PreferenceLossKind::kDpo;
}

TEST(PreferenceLoss, MatchesTheReference) {
  for (const auto& golden : golden_numbers("preference")) {
    const auto& pair = golden["pair"];
    const auto& config = golden["config"];
    const auto ours = preference_loss({pair["chosen"],
                                       pair["rejected"],
                                       pair["reference_chosen"],
                                       pair["reference_rejected"],
                                       pair["chosen_tokens"],
                                       pair["rejected_tokens"]},
                                      {kind_from(config["kind"]),
                                       config["beta"],
                                       config["label_smoothing"],
                                       config["length_normalised"],
                                       config["sft_weight"]});
    expect_close(ours.loss, golden["loss"], golden.dump());
    expect_close(ours.d_chosen, golden["d_chosen"], golden.dump());
    expect_close(ours.d_rejected, golden["d_rejected"], golden.dump());
  }
}

TEST(PreferenceLoss, GradientMatchesFiniteDifferences) {
  Rng rng(12);
  const std::vector<PreferenceLossConfig> configs = {
      {.beta = 0.5},
      {.beta = 0.5, .label_smoothing = 0.2},
      {.kind = PreferenceLossKind::kIpo, .beta = 0.3, .length_normalised = true},
      {.kind = PreferenceLossKind::kHinge, .beta = 0.4, .sft_weight = 0.7},
      {.beta = 0.1, .length_normalised = true, .sft_weight = 1.0}};
  for (const PreferenceLossConfig& config : configs) {
    for (int round = 0; round < 40; ++round) {
      PreferencePairScore pair = {-5 * rng.uniform(),
                                  -5 * rng.uniform(),
                                  -5 * rng.uniform(),
                                  -5 * rng.uniform(),
                                  1 + rng.below(7),
                                  1 + rng.below(7)};
      const auto ours = preference_loss(pair, config);
      if (std::abs(ours.chosen_reward - ours.rejected_reward - 1.0) < 1e-3) {
        continue;  // at the kink of the hinge
      }
      constexpr double kStep = 1e-6;
      const auto slope = [&](double& sum) {  // one more nat on one token is one more on the sum
        const double kept = sum;
        sum = kept + kStep;
        const double above = preference_loss(pair, config).loss;
        sum = kept - kStep;
        const double below = preference_loss(pair, config).loss;
        sum = kept;
        return (above - below) / (2 * kStep);
      };
      EXPECT_NEAR(ours.d_chosen, slope(pair.chosen), 1e-7) << "round " << round;
      EXPECT_NEAR(ours.d_rejected, slope(pair.rejected), 1e-7) << "round " << round;
    }
  }
}

TEST(PreferenceLoss, IsLogTwoWhereThePolicyIsTheReference) {
  const auto loss = preference_loss({-7, -3, -7, -3, 4, 2}, {});
  EXPECT_DOUBLE_EQ(loss.loss, std::log(2.0));
  EXPECT_DOUBLE_EQ(loss.d_chosen, -0.05);
  EXPECT_DOUBLE_EQ(loss.d_rejected, 0.05);
}

TEST(PreferenceLoss, StaysFiniteForAbsurdLogProbabilities) {
  for (const double chosen : {-1e9, 0.0}) {
    const auto loss = preference_loss({chosen, -5, -5, -5}, {.label_smoothing = 0.1});
    EXPECT_TRUE(std::isfinite(loss.loss));
    EXPECT_TRUE(std::isfinite(loss.d_chosen));
  }
}

TEST(PreferenceLoss, RefusesNumbersOutOfRange) {
  EXPECT_TRUE(contains(message_of([] { return preference_loss({}, {.beta = 0}); }), "beta"));
  EXPECT_TRUE(contains(message_of([] { return preference_loss({}, {.label_smoothing = 0.5}); }),
                       "label_smoothing"));
  EXPECT_TRUE(contains(message_of([] {
                         return preference_loss(
                             {}, {.kind = PreferenceLossKind::kIpo, .label_smoothing = 0.1});
                       }),
                       "other than DPO"));
}

}  // namespace
}  // namespace dreamgym
