#include "dreamgym/llm/checkpoint/number_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace dreamgym {
namespace {

TEST(NumberType, WidensHalfPrecisionExactly) {
  EXPECT_EQ(from_float16(0x3c00), 1.0F);
  EXPECT_EQ(from_float16(0xc100), -2.5F);
  EXPECT_EQ(from_float16(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(from_float16(0x7bff), 65504.0F);
  EXPECT_EQ(from_float16(0x7c00), INFINITY);
  EXPECT_TRUE(std::isnan(from_float16(0x7e01)));
  EXPECT_TRUE(std::signbit(from_float16(0x8000)));
  EXPECT_EQ(from_bfloat16(0xc020), -2.5F);
}

TEST(NumberType, NarrowsEveryHalfBackToItself) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_float16(half);
    if (!std::isnan(value)) {
      EXPECT_EQ(to_float16(value), half);
    }
    if (!std::isnan(from_bfloat16(half))) {
      EXPECT_EQ(to_bfloat16(from_bfloat16(half)), half);
    }
  }
}

TEST(NumberType, RoundsToTheEvenNeighbour) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double low = from_float16(static_cast<std::uint16_t>(bits));
    const double high = from_float16(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const unsigned even = bits + bits % 2;
    EXPECT_EQ(to_float16(middle), even);
    EXPECT_EQ(to_float16(std::nextafter(middle, 0.0F)), bits);
    EXPECT_EQ(to_float16(std::nextafter(middle, 1e6F)), bits + 1);
  }
  EXPECT_EQ(to_float16(65519.0F), 0x7bff);
  EXPECT_EQ(to_float16(65520.0F), 0x7c00);
  EXPECT_EQ(to_float16(-1e30F), 0xfc00);
  EXPECT_TRUE(std::isnan(from_float16(to_float16(NAN))));
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.00390625F)), 1.0F);
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.01171875F)), 1.015625F);
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::bit_cast<float>(0x7f800001U)))));
}

}  // namespace
}  // namespace dreamgym
