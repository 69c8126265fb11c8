// Number types in which checkpoints store weights, and fp32 in which we read them.
// Pure. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dreamgym {

enum class NumberType : std::uint8_t { kFloat32, kFloat16, kBFloat16 };

std::size_t bytes_per_value(NumberType type);

/// Exact. Infinities and NaN are kept.
float from_float16(std::uint16_t half);
float from_bfloat16(std::uint16_t half);
/// To the nearest, ties to even; too large becomes infinite, NaN stays NaN.
std::uint16_t to_float16(float value);
std::uint16_t to_bfloat16(float value);

/// @param bytes  values.size() stored numbers, little-endian, at any address.
void widen(NumberType type, std::string_view bytes, std::span<float> values);
/// Appends the stored form of each value.
void append_narrowed(NumberType type, std::span<const float> values, std::vector<char>& bytes);

}  // namespace dreamgym
