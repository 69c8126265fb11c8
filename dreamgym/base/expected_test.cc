#include "dreamgym/base/expected.h"

#include <gtest/gtest.h>

#include <string>

namespace dreamgym {
namespace {

Expected<int, std::string> half(int number) {
  if (number % 2 != 0) {
    return Unexpected<std::string>("odd");
  }
  return number / 2;
}

TEST(Expected, HoldsTheValue) {
  ASSERT_TRUE(half(8).has_value());
  EXPECT_EQ(*half(8), 4);
}

TEST(Expected, HoldsTheReasonThereIsNone) {
  ASSERT_FALSE(half(7).has_value());
  EXPECT_EQ(half(7).error(), "odd");
  EXPECT_EQ(half(7).value_or(-1), -1);
}

}  // namespace
}  // namespace dreamgym
