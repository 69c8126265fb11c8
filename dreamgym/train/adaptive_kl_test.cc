#include "dreamgym/train/adaptive_kl.h"

#include <gtest/gtest.h>

#include <limits>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

TEST(AdaptiveKl, MatchesHandComputedNumbers) {
  AdaptiveKl kl({.start = 0.5, .target = 0.1, .horizon = 1000});
  kl.update(0.11, 100);  // error 0.1: x (1 + 0.1 * 0.1)
  EXPECT_DOUBLE_EQ(kl.coefficient(), 0.5 * 1.01);
  kl.update(5.0, 100);  // error clipped to 0.2
  EXPECT_DOUBLE_EQ(kl.coefficient(), 0.5 * 1.01 * 1.02);
  kl.update(0.0, 100);  // and to -0.2
  EXPECT_DOUBLE_EQ(kl.coefficient(), 0.5 * 1.01 * 1.02 * 0.98);
}

TEST(AdaptiveKl, KeepsItsCoefficientAtTheTargetAndForKlThatIsNotFinite) {
  AdaptiveKl kl({.start = 0.2, .target = 0.1});
  kl.update(0.1, 128);
  kl.update(std::numeric_limits<double>::quiet_NaN(), 128);
  EXPECT_EQ(kl.coefficient(), 0.2);
}

TEST(AdaptiveKl, ContinuesFromASavedCoefficient) {
  AdaptiveKl whole({.start = 0.2});
  whole.update(0.3, 64);
  AdaptiveKl resumed({.start = 0.2}, whole.coefficient());
  whole.update(0.02, 64);
  resumed.update(0.02, 64);
  EXPECT_EQ(whole.coefficient(), resumed.coefficient());
}

TEST(AdaptiveKl, RefusesNumbersThatAreNotPositive) {
  EXPECT_TRUE(contains(message_of([] { return AdaptiveKl({.start = 0}); }), "coefficient"));
  EXPECT_TRUE(contains(message_of([] { return AdaptiveKl({.target = 0}); }), "target"));
  EXPECT_TRUE(contains(message_of([] { return AdaptiveKl({.horizon = -1}); }), "horizon"));
}

}  // namespace
}  // namespace dreamgym
