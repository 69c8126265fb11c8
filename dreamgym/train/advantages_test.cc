#include "dreamgym/train/advantages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> random_returns(Rng& rng) {
  std::vector<double> returns(2 + rng.below(9));
  for (double& value : returns) {
    value = rng.normal();
  }
  return returns;
}

TEST(GroupAdvantages, MatchHandComputedNumbers) {
  // mean 0.25, squared deviations 0.5625 + 3 * 0.0625 = 0.75, std sqrt(0.75 / 3) = 0.5.
  const std::vector<double> advantages = group_advantages(std::vector<double>{1, 0, 0, 0}, 1e-6);
  EXPECT_NEAR(advantages[0], 0.75 / 0.500001, 1e-12);
  EXPECT_NEAR(advantages[1], -0.25 / 0.500001, 1e-12);
}

TEST(GroupAdvantages, AreZeroWhenReturnsAreEqual) {
  for (const double advantage : group_advantages(std::vector<double>{0.3, 0.3, 0.3})) {
    EXPECT_EQ(advantage, 0.0);
  }
}

TEST(GroupAdvantages, RefuseAGroupOfOneAndSayWhatToDo) {
  const std::string message = message_of([] { return group_advantages(std::vector<double>{1.0}); });
  EXPECT_TRUE(contains(message, "1 episode")) << message;
  EXPECT_TRUE(contains(message, "group_size")) << message;
}

TEST(GroupAdvantages, RefuseAReturnThatIsNotANumber) {
  const std::string message =
      message_of([] { return group_advantages(std::vector<double>{1, kNan, 0}); });
  EXPECT_TRUE(contains(message, "value 2 of 3 is nan")) << message;
  EXPECT_TRUE(contains(message, "infrastructure error")) << message;
}

TEST(GroupAdvantages, SumToZeroAndIgnoreAShift) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> returns = random_returns(rng);
    std::vector<double> shifted;
    for (const double value : returns) {
      shifted.push_back(value + 3.0);
    }
    const auto a = group_advantages(returns);
    const auto b = group_advantages(shifted);
    EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), 0.0, 1e-9) << "round " << round;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], b[i], 1e-9) << "round " << round;
    }
  }
}

TEST(CentredAdvantages, MatchHandComputedNumbers) {
  EXPECT_EQ(centred_advantages(std::vector<double>{10, 0, 0, 10}),
            (std::vector<double>{5, -5, -5, 5}));
}

TEST(CentredAdvantages, GrowWithTheReturnsUnlikeGroupAdvantages) {
  EXPECT_EQ(centred_advantages(std::vector<double>{2, 0})[0], 1.0);
  EXPECT_EQ(centred_advantages(std::vector<double>{20, 0})[0], 10.0);
}

TEST(LeaveOneOutAdvantages, AreTheReturnMinusTheMeanOfTheOthers) {
  Rng rng(8);
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> returns = random_returns(rng);
    const double sum = std::accumulate(returns.begin(), returns.end(), 0.0);
    const auto advantages = leave_one_out_advantages(returns);
    for (std::size_t i = 0; i < returns.size(); ++i) {
      const double others = (sum - returns[i]) / static_cast<double>(returns.size() - 1);
      EXPECT_NEAR(advantages[i], returns[i] - others, 1e-12) << "round " << round;
    }
  }
}

TEST(LeaveOneOutAdvantages, RefuseAGroupOfOne) {
  EXPECT_THROW((void)leave_one_out_advantages(std::vector<double>{1.0}), Error);
  EXPECT_THROW((void)centred_advantages(std::vector<double>{}), Error);
}

}  // namespace
}  // namespace dreamgym
