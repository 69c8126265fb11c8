// The number formats of GGUF tensors: plain numbers, and blocks of small integers with a scale.
//
// Pure. Thread safety: reentrant.
// Source: the block layouts of ggml (ggml-common.h, ggml-quants.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dreamgym {

/// Values are those in the file.
enum class BlockType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kBF16 = 30,
};

struct BlockFormat {
  BlockType type = BlockType::kF32;
  std::string_view name;
  std::size_t num_values = 1;  ///< in a block
  std::size_t num_bytes = 4;   ///< of a block
};

/// Nothing for a type that is not read here.
std::optional<BlockFormat> block_format(std::uint32_t type_in_file);
BlockFormat block_format(BlockType type);

/// @param bytes   whole blocks, at any address.
/// @param values  as many as the blocks hold.
void dequantize(BlockType type, std::string_view bytes, std::span<float> values);

/// Appends the blocks of the values, whose count is a multiple of the block's.
/// @param type  F32, F16, BF16 or Q8_0.
void quantize(BlockType type, std::span<const float> values, std::vector<char>& bytes);

}  // namespace dreamgym
