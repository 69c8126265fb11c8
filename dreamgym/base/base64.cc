#include "dreamgym/base/base64.h"

#include <array>
#include <cstdint>

namespace dreamgym {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 64;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = make_values();

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  for (int i = 0; i < 2 && text.ends_with('='); ++i) {
    text.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned num_bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) {
      return std::nullopt;
    }
    bits = bits << 6U | value;
    num_bits += 6;
    if (num_bits >= 8) {
      num_bits -= 8;
      bytes += static_cast<char>(bits >> num_bits & 0xffU);
    }
  }
  return (bits & ((1U << num_bits) - 1U)) == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace dreamgym
