#include "dreamgym/nn/engine/packed_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "dreamgym/llm/checkpoint/number_type.h"

namespace dreamgym::engine {
namespace {

constexpr float kLargestByte = 127.0F;

// What a group of int8 numbers is multiplied by: its largest magnitude / 127, to the nearest with 17
// significant bits.
float scale_of(std::span<const float> group) {
  float largest = 0;
  for (const float value : group) {
    largest = std::max(largest, std::abs(value));
  }
  constexpr std::uint32_t kDroppedBits = 7;
  const auto bits = std::bit_cast<std::uint32_t>(largest / kLargestByte);
  return std::bit_cast<float>((bits + (1U << (kDroppedBits - 1))) >> kDroppedBits << kDroppedBits);
}

std::int8_t byte_of(float value, float scale) {
  return scale > 0 ? static_cast<std::int8_t>(std::lround(value / scale)) : std::int8_t{0};
}

// f(the group's number, its first depth, its values)
template <class T, class F>
void for_each_group(std::span<T> row, const F& f) {
  for (std::size_t begin = 0; begin < row.size(); begin += kScaleGroup) {
    f(begin / kScaleGroup, begin, row.subspan(begin, std::min(kScaleGroup, row.size() - begin)));
  }
}

void set_pairs(PackedMatrix& matrix, std::size_t column, std::span<const float> values) {
  auto* halves = reinterpret_cast<char*>(matrix.words.data());
  const std::size_t first = column / kPanelWidth * paired_depth(matrix.depth) / 2;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::uint16_t half = to_bfloat16(values[k]);
    const std::size_t word = (first + k / 2) * kPanelWidth + column % kPanelWidth;
    std::memcpy(halves + 4 * word + 2 * (k % 2), &half, sizeof(half));
  }
}

void set_bytes(PackedMatrix& matrix, std::size_t column, std::span<const float> values) {
  const std::size_t panel = column / kPanelWidth;
  const std::size_t lane = column % kPanelWidth;
  const std::size_t num_groups = num_scale_groups(matrix.depth);
  auto* bytes = reinterpret_cast<std::int8_t*>(matrix.words.data());
  const std::size_t first = panel * paired_depth(matrix.depth) / 4;
  for_each_group(values, [&](std::size_t group, std::size_t begin, std::span<const float> of_group) {
    const float scale = scale_of(of_group);
    matrix.scales[(panel * num_groups + group) * kPanelWidth + lane] = scale;
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      const std::size_t k = begin + i;
      bytes[4 * ((first + k / 4) * kPanelWidth + lane) + byte_of_depth(k)] = byte_of(of_group[i], scale);
    }
  });
}

}  // namespace

PackedMatrix empty_matrix(NumberFormat format, std::size_t num_columns, std::size_t depth) {
  PackedMatrix matrix;
  matrix.format = format;
  matrix.num_panels = (num_columns + kPanelWidth - 1) / kPanelWidth;
  matrix.depth = depth;
  const std::size_t padded = format == NumberFormat::kFloat32 ? depth : paired_depth(depth);
  matrix.words.resize(matrix.num_panels * padded / numbers_a_word(format) * kPanelWidth);
  if (format == NumberFormat::kInt8) {
    matrix.scales.resize(matrix.columns() * num_scale_groups(depth));
  }
  return matrix;
}

void set_column(PackedMatrix& matrix, std::size_t column, std::span<const float> values) {
  if (matrix.format == NumberFormat::kBFloat16) {
    set_pairs(matrix, column, values);
    return;
  }
  if (matrix.format == NumberFormat::kInt8) {
    set_bytes(matrix, column, values);
    return;
  }
  float* panel = matrix.words.data() + column / kPanelWidth * matrix.depth * kPanelWidth;
  for (std::size_t k = 0; k < matrix.depth; ++k) {
    panel[k * kPanelWidth + column % kPanelWidth] = values[k];
  }
}

PackedMatrix pack_rows(NumberFormat format,
                       const std::vector<std::span<const float>>& weights,
                       std::size_t depth) {
  std::size_t num_columns = 0;
  for (const auto& weight : weights) {
    num_columns += weight.size() / depth;
  }
  PackedMatrix matrix = empty_matrix(format, num_columns, depth);
  std::size_t column = 0;
  for (const auto& weight : weights) {
    for (std::size_t row = 0; row < weight.size() / depth; ++row) {
      set_column(matrix, column++, weight.subspan(row * depth, depth));
    }
  }
  return matrix;
}

void round_row(NumberFormat format, std::span<float> row) {
  if (format == NumberFormat::kBFloat16) {
    for (float& value : row) {
      value = from_bfloat16(to_bfloat16(value));
    }
  } else if (format == NumberFormat::kInt8) {
    for_each_group(row, [](std::size_t, std::size_t, std::span<float> group) {
      const float scale = scale_of(group);
      for (float& value : group) {
        value = static_cast<float>(byte_of(value, scale)) * scale;
      }
    });
  }
}

}  // namespace dreamgym::engine
