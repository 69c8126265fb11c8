#include "dreamgym/llm/checkpoint/number_type.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

template <class Stored, class Convert>
void append_each(std::span<const float> values, std::vector<char>& bytes, const Convert& convert) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Stored stored = convert(values[i]);
    std::memcpy(bytes.data() + begin + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

template <class Convert>
void widen_each(std::string_view bytes, std::span<float> values, const Convert& convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + i * sizeof(half), sizeof(half));
    values[i] = convert(half);
  }
}

}  // namespace

std::size_t bytes_per_value(NumberType type) {
  return type == NumberType::kFloat32 ? 4 : 2;
}

float from_bfloat16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
}

float from_float16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t rest = half & 0x7fffU;
  if (rest >= 0x7c00U) {  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13U);
  }
  if (rest < 0x400U) {  // zero, subnormal
    const float magnitude = static_cast<float>(rest) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((rest << 13U) + (112U << 23U)));
}

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  const std::uint32_t round_to_even = 0x7fffU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((bits + round_to_even) >> 16U);
}

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  if (magnitude >= 0x477ff000U) {  // rounds to 65536 or more
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude <
      0x38800000U) {  // below 2^-14: counts of 2^-24; adding 0.5 makes the unit round them
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) & 0x7ffU));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13U & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13U) - (112U << 10U)));
}

void widen(NumberType type, std::string_view bytes, std::span<float> values) {
  check(bytes.size() == values.size() * bytes_per_value(type), "as many bytes as the values need");
  switch (type) {
    case NumberType::kFloat32:
      if (!bytes.empty()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
      }
      break;
    case NumberType::kFloat16:
      widen_each(bytes, values, from_float16);
      break;
    case NumberType::kBFloat16:
      widen_each(bytes, values, from_bfloat16);
      break;
  }
}

void append_narrowed(NumberType type, std::span<const float> values, std::vector<char>& bytes) {
  switch (type) {
    case NumberType::kFloat32:
      append_each<float>(values, bytes, [](float value) { return value; });
      break;
    case NumberType::kFloat16:
      append_each<std::uint16_t>(values, bytes, to_float16);
      break;
    case NumberType::kBFloat16:
      append_each<std::uint16_t>(values, bytes, to_bfloat16);
      break;
  }
}

}  // namespace dreamgym
