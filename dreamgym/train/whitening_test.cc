#include "dreamgym/train/whitening.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

TEST(Whitened, BringsTheBatchToMeanZeroAndVarianceOne) {
  // Chosen: 1, 3, 5: mean 3, variance 8 / 2 = 4.
  const auto out = whitened({{1, 100}, {3, 5}}, {{true, false}, {true, true}});
  const double scale = 1.0 / std::sqrt(4.0 + 1e-8);
  EXPECT_DOUBLE_EQ(out[0][0], -2 * scale);
  EXPECT_EQ(out[0][1], 0.0);
  EXPECT_EQ(out[1][0], 0.0);
  EXPECT_DOUBLE_EQ(out[1][1], 2 * scale);
}

TEST(Whitened, IsZeroForEqualValues) {
  EXPECT_EQ(whitened({{0.1, 0.1, 0.1}}, {{true, true, true}}),
            (std::vector<std::vector<double>>{{0, 0, 0}}));
}

TEST(Whitened, RefusesABatchWithoutTokensOfThePolicy) {
  const std::string message = message_of([] { return whitened({{1, 2}}, {{false, false}}); });
  EXPECT_TRUE(contains(message, "0 token(s)")) << message;
  EXPECT_TRUE(contains(message, "completion masks")) << message;
}

}  // namespace
}  // namespace dreamgym
