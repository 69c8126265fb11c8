#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "dreamgym/nn/internal/product_packing.h"

#if defined(__x86_64__)

// GCC 12 takes the undefined vector inside its own intrinsics for a mistake of ours (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// After every include: what the compiler makes of their contents must run on any machine.
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
#endif

namespace dreamgym::internal {
namespace {

// The lowest `count` of a vector's lanes; all of them from kPackSide up.
__mmask16 first_lanes(std::size_t count) {
  return count >= kPackSide ? static_cast<__mmask16>(0xffff)
                            : static_cast<__mmask16>((1U << count) - 1U);
}

// How the two loads of a format read kPackSide words: along the depth of one row or column, or of
// one word's depths across neighbouring rows or columns. `left` counts what is there.
struct Float32Words {
  static constexpr std::size_t kDepths = 1;
  static __m512i along(const float* from, std::size_t left) {
    return _mm512_castps_si512(_mm512_maskz_loadu_ps(first_lanes(left), from));
  }
  static __m512i across(const float* from, std::size_t, std::size_t, __mmask16 lanes) {
    return _mm512_castps_si512(_mm512_maskz_loadu_ps(lanes, from));
  }
};

struct BFloat16Words {
  static constexpr std::size_t kDepths = 2;
  static __m512i along(const float* from, std::size_t left) {
    const std::size_t second = left > kPackSide ? left - kPackSide : 0;
    const __m512 low = _mm512_maskz_loadu_ps(first_lanes(left), from);
    const __m512 high = _mm512_maskz_loadu_ps(first_lanes(second), from + kPackSide);
    return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
  }
  static __m512i across(const float* from, std::size_t stride, std::size_t left, __mmask16 lanes) {
    const __m512 even = _mm512_maskz_loadu_ps(lanes, from);
    const __m512 odd =
        _mm512_maskz_loadu_ps(left > 1 ? lanes : static_cast<__mmask16>(0), from + stride);
    const auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));
    const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(both));
    const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(both, 1));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
  }
};

// 16 rows of 16 words, rows and columns exchanged.
void transpose(__m512i* rows) {
  __m512i pairs[kPackSide];
  for (std::size_t i = 0; i < kPackSide; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  __m512i fours[kPackSide];
  for (std::size_t i = 0; i < kPackSide; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  // fours[4 b + c] holds column 4 lane + c of rows 4 b to 4 b + 3.
  for (std::size_t c = 0; c < 4; ++c) {
    const __m512i even_low = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0x88);
    const __m512i odd_low = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0xdd);
    const __m512i even_high = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0x88);
    const __m512i odd_high = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0xdd);
    rows[c] = _mm512_shuffle_i32x4(even_low, even_high, 0x88);
    rows[4 + c] = _mm512_shuffle_i32x4(odd_low, odd_high, 0x88);
    rows[8 + c] = _mm512_shuffle_i32x4(even_low, even_high, 0xdd);
    rows[12 + c] = _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd);
  }
}

// kPackSide rows or columns from `first` by kPackSide words from `word`.
template <class Format>
void load_block(const PackSource& from, std::size_t first, std::size_t word, __m512i* block) {
  const std::size_t depth = word * Format::kDepths;
  if (from.along_depth) {
    for (std::size_t i = 0; i < kPackSide; ++i) {
      const bool there = first + i < from.count && depth < from.depth;
      block[i] = there ? Format::along(from.data + (first + i) * from.stride + depth,
                                       from.depth - depth)
                       : _mm512_setzero_si512();
    }
    return;
  }
  const __mmask16 lanes = first_lanes(from.count - first);
  for (std::size_t i = 0; i < kPackSide; ++i) {
    const std::size_t at = depth + i * Format::kDepths;
    block[i] = at < from.depth ? Format::across(from.data + at * from.stride + first,
                                                from.stride,
                                                from.depth - at,
                                                lanes)
                               : _mm512_setzero_si512();
  }
}

template <class Format>
void pack_left_as(const PackSource& from, std::size_t row_words, std::uint32_t* words) {
  __m512i block[kPackSide];
  for (std::size_t first = 0; first < from.count; first += kPackSide) {
    for (std::size_t word = 0; word < row_words; word += kPackSide) {
      load_block<Format>(from, first, word, block);
      if (!from.along_depth) {
        transpose(block);
      }
      for (std::size_t i = 0; i < kPackSide; ++i) {
        _mm512_storeu_si512(words + (first + i) * row_words + word, block[i]);
      }
    }
  }
}

template <class Format>
void pack_right_block(const PackSource& from, std::size_t first, std::size_t word, std::uint32_t* words) {
  __m512i block[kPackSide];
  load_block<Format>(from, first, word, block);
  if (from.along_depth) {
    transpose(block);
  }
  for (std::size_t i = 0; i < kPackSide; ++i) {
    _mm512_storeu_si512(words + (word + i) * kTileColumns + first, block[i]);
  }
}

// In the order of memory, as far as there is one.
template <class Format>
void pack_right_as(const PackSource& from, std::size_t row_words, std::uint32_t* words) {
  if (from.along_depth) {
    for (std::size_t first = 0; first < from.count; first += kPackSide) {
      for (std::size_t word = 0; word < row_words; word += kPackSide) {
        pack_right_block<Format>(from, first, word, words);
      }
    }
    return;
  }
  for (std::size_t word = 0; word < row_words; word += kPackSide) {
    for (std::size_t first = 0; first < from.count; first += kPackSide) {
      pack_right_block<Format>(from, first, word, words);
    }
  }
}

template <bool kAdd>
void finish_tile(const float* sums, const TileTarget& target) {
  for (std::size_t row = 0; row < target.rows; ++row) {
    const float* from = sums + row * kTileColumns;
    float* to = target.data + row * target.stride;
    for (std::size_t column = 0; column < target.columns; column += kPackSide) {
      const __mmask16 lanes = first_lanes(target.columns - column);
      __m512 value = _mm512_loadu_ps(from + column);
      if (kAdd) {
        value = _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, to + column), value);
      }
      _mm512_mask_storeu_ps(to + column, lanes, value);
    }
  }
}

}  // namespace

void pack_left(ComputeType type, const PackSource& from, std::size_t row_words, std::uint32_t* words) {
  (type == ComputeType::kBFloat16 ? pack_left_as<BFloat16Words> : pack_left_as<Float32Words>)(
      from, row_words, words);
}

void pack_right(ComputeType type, const PackSource& from, std::size_t row_words, std::uint32_t* words) {
  (type == ComputeType::kBFloat16 ? pack_right_as<BFloat16Words> : pack_right_as<Float32Words>)(
      from, row_words, words);
}

void store_tile(const float* sums, const TileTarget& target) {
  finish_tile<false>(sums, target);
}

void add_tile(const float* sums, const TileTarget& target) {
  finish_tile<true>(sums, target);
}

}  // namespace dreamgym::internal

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__
