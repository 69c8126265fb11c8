#include "dreamgym/llm/gguf/block_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/number_type.h"

namespace dreamgym {
namespace {

constexpr std::size_t kSmall = 32;   // values in a block of the first generation
constexpr std::size_t kLarge = 256;  // and of the second ("K")

constexpr std::array kFormats{BlockFormat{BlockType::kF32, "F32", 1, 4},
                              BlockFormat{BlockType::kF16, "F16", 1, 2},
                              BlockFormat{BlockType::kBF16, "BF16", 1, 2},
                              BlockFormat{BlockType::kQ4_0, "Q4_0", kSmall, 18},
                              BlockFormat{BlockType::kQ4_1, "Q4_1", kSmall, 20},
                              BlockFormat{BlockType::kQ5_0, "Q5_0", kSmall, 22},
                              BlockFormat{BlockType::kQ5_1, "Q5_1", kSmall, 24},
                              BlockFormat{BlockType::kQ8_0, "Q8_0", kSmall, 34},
                              BlockFormat{BlockType::kQ4_K, "Q4_K", kLarge, 144},
                              BlockFormat{BlockType::kQ5_K, "Q5_K", kLarge, 176},
                              BlockFormat{BlockType::kQ6_K, "Q6_K", kLarge, 210}};

/// Bytes of one block as numbers.
class Block {
 public:
  explicit Block(const char* bytes) : bytes_(bytes) {}
  [[nodiscard]] int at(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }
  [[nodiscard]] int signed_at(std::size_t i) const { return static_cast<signed char>(bytes_[i]); }
  [[nodiscard]] float half_at(std::size_t i) const {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes_ + i, sizeof(half));
    return from_float16(half);
  }
  [[nodiscard]] std::uint32_t word_at(std::size_t i) const {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes_ + i, sizeof(word));
    return word;
  }

 private:
  const char* bytes_;
};

// d, 16 bytes of two nibbles each: the low ones come first.
void read_q4_0(Block block, float* out) {
  const float scale = block.half_at(0);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((block.at(2 + i) & 15) - 8) * scale;
    out[i + 16] = static_cast<float>((block.at(2 + i) >> 4) - 8) * scale;
  }
}

void read_q4_1(Block block, float* out) {
  const float scale = block.half_at(0);
  const float minimum = block.half_at(2);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = static_cast<float>(block.at(4 + i) & 15) * scale + minimum;
    out[i + 16] = static_cast<float>(block.at(4 + i) >> 4) * scale + minimum;
  }
}

/// Value i of 32: a nibble and its fifth bit.
int five_bits(Block block, std::size_t high_at, std::size_t i) {
  const int nibble = i < 16 ? block.at(high_at + 4 + i) & 15 : block.at(high_at + 4 + i - 16) >> 4;
  return nibble | static_cast<int>(block.word_at(high_at) >> i & 1U) << 4;
}

void read_q5_0(Block block, float* out) {
  const float scale = block.half_at(0);
  for (std::size_t i = 0; i < kSmall; ++i) {
    out[i] = static_cast<float>(five_bits(block, 2, i) - 16) * scale;
  }
}

void read_q5_1(Block block, float* out) {
  const float scale = block.half_at(0);
  const float minimum = block.half_at(2);
  for (std::size_t i = 0; i < kSmall; ++i) {
    out[i] = static_cast<float>(five_bits(block, 4, i)) * scale + minimum;
  }
}

void read_q8_0(Block block, float* out) {
  const float scale = block.half_at(0);
  for (std::size_t i = 0; i < kSmall; ++i) {
    out[i] = static_cast<float>(block.signed_at(2 + i)) * scale;
  }
}

/// Scale and minimum of sub-block j of 8: six bits each, packed into 12 bytes.
struct SubScale {
  int scale = 0;
  int minimum = 0;
};

SubScale sub_scale(Block block, std::size_t scales_at, std::size_t j) {
  const auto byte = [&](std::size_t i) { return block.at(scales_at + i); };
  if (j < 4) {
    return {byte(j) & 63, byte(j + 4) & 63};
  }
  return {(byte(j + 4) & 15) | (byte(j - 4) >> 6) << 4, (byte(j + 4) >> 4) | (byte(j) >> 6) << 4};
}

/// Q4_K and Q5_K: d, dmin, 12 bytes of scales, [32 bytes of fifth bits,] 128 bytes of nibbles. Two
/// sub-blocks of 32 share 32 bytes: low nibbles, then high ones.
void read_k(Block block, bool fifth_bits, float* out) {
  constexpr std::size_t kScales = 4;
  constexpr std::size_t kBits = 16;
  const std::size_t nibbles = fifth_bits ? 48 : 16;
  const float scale = block.half_at(0);
  const float minimum = block.half_at(2);
  for (std::size_t j = 0; j < 8; ++j) {
    const SubScale sub = sub_scale(block, kScales, j);
    const float d = scale * static_cast<float>(sub.scale);
    const float m = minimum * static_cast<float>(sub.minimum);
    for (std::size_t i = 0; i < 32; ++i) {
      const int byte = block.at(nibbles + j / 2 * 32 + i);
      int value = j % 2 == 0 ? byte & 15 : byte >> 4;
      if (fifth_bits) {
        value |= (block.at(kBits + i) >> j & 1) << 4;
      }
      out[j * 32 + i] = d * static_cast<float>(value) - m;
    }
  }
}

/// 128 bytes of low nibbles, 64 of upper bit pairs, 16 signed scales, d.
void read_q6_k(Block block, float* out) {
  constexpr std::size_t kHigh = 128;
  constexpr std::size_t kScales = 192;
  const float scale = block.half_at(208);
  for (std::size_t i = 0; i < kLarge; ++i) {
    const std::size_t half = i / 128;  // each half has 64 bytes of nibbles, 32 of pairs
    const std::size_t quarter = i % 128 / 32;
    const std::size_t lane = i % 32;
    const int byte = block.at(half * 64 + quarter % 2 * 32 + lane);
    const int low = quarter < 2 ? byte & 15 : byte >> 4;
    const int high = block.at(kHigh + half * 32 + lane) >> (2 * quarter) & 3;
    const int sub = block.signed_at(kScales + i / 16);
    out[i] = scale * static_cast<float>(sub) * static_cast<float>((low | high << 4) - 32);
  }
}

void read_block(BlockType type, Block block, float* out) {
  switch (type) {
    case BlockType::kQ4_0:
      return read_q4_0(block, out);
    case BlockType::kQ4_1:
      return read_q4_1(block, out);
    case BlockType::kQ5_0:
      return read_q5_0(block, out);
    case BlockType::kQ5_1:
      return read_q5_1(block, out);
    case BlockType::kQ8_0:
      return read_q8_0(block, out);
    case BlockType::kQ4_K:
      return read_k(block, false, out);
    case BlockType::kQ5_K:
      return read_k(block, true, out);
    case BlockType::kQ6_K:
      return read_q6_k(block, out);
    case BlockType::kF32:
    case BlockType::kF16:
    case BlockType::kBF16:
      break;
  }
}

std::optional<NumberType> plain_number(BlockType type) {
  switch (type) {
    case BlockType::kF32:
      return NumberType::kFloat32;
    case BlockType::kF16:
      return NumberType::kFloat16;
    case BlockType::kBF16:
      return NumberType::kBFloat16;
    default:
      return std::nullopt;
  }
}

void append_q8_0(std::span<const float> values, std::vector<char>& bytes) {
  float largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(value));
  }
  const float scale = largest / 127.0F;
  const float inverse = scale == 0 ? 0 : 1.0F / scale;
  append_narrowed(NumberType::kFloat16, std::span(&scale, 1), bytes);
  for (const float value : values) {
    bytes.push_back(static_cast<char>(std::round(value * inverse)));
  }
}

}  // namespace

std::optional<BlockFormat> block_format(std::uint32_t type_in_file) {
  const auto* const found =
      std::ranges::find(kFormats, type_in_file, [](const BlockFormat& format) {
        return static_cast<std::uint32_t>(format.type);
      });
  return found == kFormats.end() ? std::nullopt : std::optional(*found);
}

BlockFormat block_format(BlockType type) {
  return *std::ranges::find(kFormats, type, &BlockFormat::type);
}

void dequantize(BlockType type, std::string_view bytes, std::span<float> values) {
  if (const auto number = plain_number(type)) {
    widen(*number, bytes, values);
    return;
  }
  const BlockFormat format = block_format(type);
  const std::size_t num_blocks = values.size() / format.num_values;
  check(values.size() % format.num_values == 0 && bytes.size() == num_blocks * format.num_bytes,
        "values and bytes are the same whole blocks");
  for (std::size_t i = 0; i < num_blocks; ++i) {
    read_block(
        type, Block(bytes.data() + i * format.num_bytes), values.data() + i * format.num_values);
  }
}

void quantize(BlockType type, std::span<const float> values, std::vector<char>& bytes) {
  if (const auto number = plain_number(type)) {
    append_narrowed(*number, values, bytes);
    return;
  }
  check(type == BlockType::kQ8_0 && values.size() % kSmall == 0, "whole blocks of Q8_0");
  for (std::size_t i = 0; i < values.size(); i += kSmall) {
    append_q8_0(values.subspan(i, kSmall), bytes);
  }
}

}  // namespace dreamgym
