#include "dreamgym/eval/gap_trend.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

GapTrend after(std::initializer_list<double> gaps) {
  GapTrend trend({.max_rise = 0.15, .patience = 2});
  for (const double gap : gaps) {
    trend.observe(gap);
  }
  return trend;
}

TEST(GapTrend, IsCalmWhileTheGapStaysWhereItWas) {
  EXPECT_FALSE(after({}).alarmed());
  EXPECT_FALSE(after({0.3}).alarmed());
  EXPECT_FALSE(after({0.3, 0.35, 0.28, 0.4, 0.31}).alarmed()) << "a constant bias is not a trend";
}

TEST(GapTrend, IsAlarmedByARiseThatLasts) {
  EXPECT_FALSE(after({0.0, 0.05, 0.3}).alarmed()) << "once may be chance";
  EXPECT_TRUE(after({0.0, 0.05, 0.3, 0.35}).alarmed());
  EXPECT_DOUBLE_EQ(after({0.0, 0.05, 0.3, 0.35}).rise(), 0.35);
}

TEST(GapTrend, IsNotAlarmedByADreamThatGetsStricter) {
  EXPECT_FALSE(after({0.0, -0.2, -0.4, -0.5}).alarmed());
}

TEST(GapTrend, SlopeIsThatOfTheLeastSquaresLine) {
  EXPECT_NEAR(after({0.1, 0.2, 0.3, 0.4}).slope(), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(after({0.4}).slope(), 0.0);
}

TEST(GapTrend, ComesBackFromItsText) {
  const GapTrend trend = after({0.1, 1.0 / 3.0, -0.25});
  GapTrend again({});
  again.restore(trend.save());
  EXPECT_EQ(again.save(), trend.save());
  EXPECT_EQ(again.size(), 3U);
  EXPECT_THROW(again.restore("no-number"), Error);
  EXPECT_EQ(again.size(), 3U) << "a damaged state changes nothing";
}

TEST(GapTrend, RefusesOptionsThatMeanNothing) {
  EXPECT_THROW(GapTrend({.max_rise = 0.0}), Error);
  EXPECT_THROW(GapTrend({.patience = 0}), Error);
}

}  // namespace
}  // namespace dreamgym
