// Copies of a product's factors in the order the block kernels read them, and of their sums back.
//
// The unit is a word of 32 bits: one fp32 number, or two neighbouring depths in bfloat16 (the even
// one in the low half), rounded to the nearest, ties to even. Words past the end of a factor are
// zeros. Needs AVX-512 (F, BW, DQ, VL), for bfloat16 also AVX-512 BF16.
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dreamgym/nn/compute_type.h"

namespace dreamgym::internal {

inline constexpr std::size_t kPackSide = 16;      ///< packed rows and words are multiples of it
inline constexpr std::size_t kTileColumns = 64;   ///< words of a row of the packed right factor

/// Numbers in a word.
constexpr std::size_t depths_a_word(ComputeType type) {
  return type == ComputeType::kBFloat16 ? 2 : 1;
}

/// A piece of a factor: `count` rows of the left or columns of the right one, `depth` deep.
struct PackSource {
  const float* data = nullptr;
  std::size_t stride = 0;
  bool along_depth = false;  ///< neighbours in memory are neighbouring depths, not rows or columns
  std::size_t count = 0;
  std::size_t depth = 0;
};

/// words [count rounded up][row_words]; row_words is a multiple of kPackSide that holds the depth.
void pack_left(ComputeType type, const PackSource& from, std::size_t row_words, std::uint32_t* words);
/// words [row_words][kTileColumns]; count is at most kTileColumns.
void pack_right(ComputeType type, const PackSource& from, std::size_t row_words, std::uint32_t* words);

/// target [rows, columns] = or += sums [rows][kTileColumns].
struct TileTarget {
  float* data = nullptr;
  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< at most kTileColumns
};
void store_tile(const float* sums, const TileTarget& target);
void add_tile(const float* sums, const TileTarget& target);

}  // namespace dreamgym::internal
