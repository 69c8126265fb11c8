#include "dreamgym/nn/internal/blocked_product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym::internal {
namespace {

float to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

std::vector<float> random_values(Rng& rng, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(rng.normal());
  }
  return values;
}

float element(const Factor& factor, std::size_t row, std::size_t column) {
  return factor.transposed ? factor.data[column * factor.stride + row]
                           : factor.data[row * factor.stride + column];
}

// A number of the product in double, of factors rounded as the type says.
double expected(ComputeType type, Factor a, Factor b, std::size_t inner, std::size_t row, std::size_t column) {
  double sum = 0;
  for (std::size_t k = 0; k < inner; ++k) {
    const float left = element(a, row, k);
    const float right = element(b, k, column);
    sum += type == ComputeType::kBFloat16
               ? static_cast<double>(to_bfloat16(left)) * to_bfloat16(right)
               : static_cast<double>(left) * right;
  }
  return sum;
}

class BlockedProduct : public testing::TestWithParam<ComputeType> {
 protected:
  void SetUp() override {
    if (!has_blocked_products()) {
      GTEST_SKIP() << "this machine has no AVX-512 BF16";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Types,
                         BlockedProduct,
                         testing::Values(ComputeType::kFloat32, ComputeType::kBFloat16),
                         [](const auto& type) {
                           return type.param == ComputeType::kFloat32 ? "fp32" : "bf16";
                         });

TEST_P(BlockedProduct, IsTheSumOverTheDepthWhateverTheLayout) {
  Rng rng(1);
  // Within a tile, across tiles, across blocks of rows and of depth, with rests everywhere.
  const ProductSize sizes[] = {
      {1, 1, 1}, {5, 3, 7}, {64, 64, 32}, {71, 130, 33}, {263, 17, 129}, {9, 66, 1100}};
  for (const ProductSize& size : sizes) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const std::size_t a_stride = (a_transposed ? size.rows : size.inner) + 3;
        const std::size_t b_stride = (b_transposed ? size.inner : size.columns) + 5;
        const auto a_values = random_values(rng, a_stride * (a_transposed ? size.inner : size.rows));
        const auto b_values = random_values(rng, b_stride * (b_transposed ? size.columns : size.inner));
        const Factor a{a_values.data(), a_stride, a_transposed};
        const Factor b{b_values.data(), b_stride, b_transposed};
        const std::size_t stride = size.columns + 2;
        std::vector<float> c(size.rows * stride, 7.0F);
        multiply_blocks(GetParam(), size, a, b, {c.data(), stride});
        multiply_add_blocks(GetParam(), size, a, b, {c.data(), stride});
        const double tolerance = 1e-5 * std::sqrt(static_cast<double>(size.inner)) + 1e-6;
        for (std::size_t row = 0; row < size.rows; ++row) {
          for (std::size_t column = 0; column < size.columns; ++column) {
            ASSERT_NEAR(c[row * stride + column],
                        2 * expected(GetParam(), a, b, size.inner, row, column),
                        tolerance)
                << size.rows << " x " << size.columns << " x " << size.inner << " at " << row << ", "
                << column << (a_transposed ? " A^T" : "") << (b_transposed ? " B^T" : "");
          }
          ASSERT_EQ(c[row * stride + size.columns], 7.0F) << "past the end of a row";
        }
      }
    }
  }
}

TEST_P(BlockedProduct, WithoutDepthIsZero) {
  std::vector<float> c(6, 7.0F);
  multiply_blocks(GetParam(), {2, 3, 0}, {nullptr, 0}, {nullptr, 3}, {c.data(), 3});
  EXPECT_EQ(c, std::vector<float>(6, 0.0F));
}

TEST_P(BlockedProduct, OfARowDoesNotDependOnTheOthers) {
  Rng rng(2);
  const ProductSize size{300, 96, 700};
  const auto a = random_values(rng, size.rows * size.inner);
  const auto b = random_values(rng, size.columns * size.inner);
  std::vector<float> together(size.rows * size.columns);
  multiply_blocks(GetParam(),
                  size,
                  {a.data(), size.inner},
                  {b.data(), size.inner, true},
                  {together.data(), size.columns});
  for (const std::size_t row : {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{299}}) {
    std::vector<float> alone(size.columns);
    multiply_blocks(GetParam(),
                    {1, size.columns, size.inner},
                    {a.data() + row * size.inner, size.inner},
                    {b.data(), size.inner, true},
                    {alone.data(), size.columns});
    for (std::size_t column = 0; column < size.columns; ++column) {
      ASSERT_EQ(alone[column], together[row * size.columns + column]) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace dreamgym::internal
