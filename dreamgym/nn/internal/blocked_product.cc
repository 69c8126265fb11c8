#include "dreamgym/nn/internal/blocked_product.h"

#include <algorithm>
#include <cstdint>

#include <ATen/native/CPUBlas.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/product_packing.h"

#ifdef __x86_64__

namespace dreamgym::internal {
namespace {

// A block of the left factor is read from the third-level cache for each 64 columns. The more rows
// it has, the less often the right factor is packed.
constexpr std::size_t kBlockWords = 512 * 1024;
constexpr std::size_t kRowWords = 512;
constexpr std::size_t kTileRows = 64;
constexpr std::size_t kTileRowStep = 8;  // a tile's rows are a multiple: few different kernels

constexpr std::size_t rounded_up(std::size_t count, std::size_t step) {
  return (count + step - 1) / step * step;
}

// Rows [row, row + rows) and depths [depth, depth + depths) of the left factor, packed.
struct LeftBlock {
  std::size_t row = 0;
  std::size_t rows = 0;
  std::size_t depth = 0;
  std::size_t depths = 0;
  std::size_t row_words = 0;
  const std::uint32_t* words = nullptr;
};

// sums [rows][kTileColumns] = a tile of the left block times the packed columns.
void multiply_tile(ComputeType type,
                   const LeftBlock& left,
                   std::size_t first_row,
                   const TileTarget& target,
                   const std::uint32_t* right,
                   float* sums) {
  const auto rows = static_cast<std::int64_t>(rounded_up(target.rows, kTileRowStep));
  const auto columns = static_cast<std::int64_t>(rounded_up(target.columns, kPackSide));
  const auto depth = static_cast<std::int64_t>(left.row_words * depths_a_word(type));
  constexpr auto kStride = static_cast<std::int64_t>(kTileColumns);
  const std::uint32_t* words = left.words + first_row * left.row_words;
  const auto multiply_as = [&]<class Number>(Number) {
    at::native::cpublas::brgemm(rows,
                                columns,
                                depth,
                                depth,
                                kStride,
                                kStride,
                                false,
                                reinterpret_cast<const Number*>(words),
                                reinterpret_cast<const Number*>(right),
                                sums);
  };
  if (type == ComputeType::kBFloat16) {
    multiply_as(at::BFloat16());
  } else {
    multiply_as(float());
  }
}

// Rows of one left block times all columns.
void multiply_block(ComputeType type,
                    const LeftBlock& left,
                    std::size_t num_columns,
                    Factor b,
                    Target c,
                    bool add) {
  thread_local FloatBuffer right_buffer(kRowWords * kTileColumns);
  thread_local FloatBuffer sums_buffer(kTileRows * kTileColumns);
  auto* right = reinterpret_cast<std::uint32_t*>(right_buffer.data());
  for (std::size_t column = 0; column < num_columns; column += kTileColumns) {
    const std::size_t columns = std::min(kTileColumns, num_columns - column);
    pack_right(type,
               {.data = b.data + (b.transposed ? column * b.stride + left.depth
                                               : left.depth * b.stride + column),
                .stride = b.stride,
                .along_depth = b.transposed,
                .count = columns,
                .depth = left.depths},
               left.row_words,
               right);
    for (std::size_t row = 0; row < left.rows; row += kTileRows) {
      const TileTarget target{.data = c.data + (left.row + row) * c.stride + column,
                              .stride = c.stride,
                              .rows = std::min(kTileRows, left.rows - row),
                              .columns = columns};
      multiply_tile(type, left, row, target, right, sums_buffer.data());
      (add ? add_tile : store_tile)(sums_buffer.data(), target);
    }
  }
}

void multiply_all(ComputeType type, ProductSize size, Factor a, Factor b, Target c, bool add) {
  thread_local FloatBuffer left_buffer(kBlockWords);
  auto* words = reinterpret_cast<std::uint32_t*>(left_buffer.data());
  const std::size_t block_depth = kRowWords * depths_a_word(type);
  for (std::size_t depth = 0; depth < size.inner; depth += block_depth) {
    const std::size_t depths = std::min(block_depth, size.inner - depth);
    const std::size_t row_words = rounded_up(depths, kPackSide * depths_a_word(type)) / depths_a_word(type);
    const std::size_t block_rows = kBlockWords / row_words / kTileRows * kTileRows;
    for (std::size_t row = 0; row < size.rows; row += block_rows) {
      const LeftBlock left{row, std::min(block_rows, size.rows - row), depth, depths, row_words, words};
      pack_left(type,
                {.data = a.data + (a.transposed ? depth * a.stride + row : row * a.stride + depth),
                 .stride = a.stride,
                 .along_depth = !a.transposed,
                 .count = left.rows,
                 .depth = depths},
                row_words,
                words);
      multiply_block(type, left, size.columns, b, c, add || depth > 0);
    }
  }
  if (type == ComputeType::kBFloat16) {
    at::native::cpublas::brgemm_release();  // tiles, where the kernels use them
  }
}

}  // namespace

bool has_blocked_products() {
  static const bool has =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bf16");
  return has;
}

bool prefers_blocked_products() {
  static const bool prefers = has_blocked_products() && !__builtin_cpu_is("intel");
  return prefers;
}

void multiply_blocks(ComputeType type, ProductSize size, Factor a, Factor b, Target c) {
  check(has_blocked_products(), "the machine has AVX-512 BF16");
  if (size.inner == 0) {
    for (std::size_t row = 0; row < size.rows; ++row) {
      std::fill_n(c.data + row * c.stride, size.columns, 0.0F);
    }
  }
  multiply_all(type, size, a, b, c, false);
}

void multiply_add_blocks(ComputeType type, ProductSize size, Factor a, Factor b, Target c) {
  check(has_blocked_products(), "the machine has AVX-512 BF16");
  multiply_all(type, size, a, b, c, true);
}

}  // namespace dreamgym::internal

#else

namespace dreamgym::internal {

bool has_blocked_products() {
  return false;
}

bool prefers_blocked_products() {
  return false;
}

void multiply_blocks(ComputeType, ProductSize, Factor, Factor, Target) {
  check(false, "the machine has AVX-512 BF16");
}

void multiply_add_blocks(ComputeType, ProductSize, Factor, Factor, Target) {
  check(false, "the machine has AVX-512 BF16");
}

}  // namespace dreamgym::internal

#endif  // __x86_64__
