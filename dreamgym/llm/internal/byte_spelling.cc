#include "dreamgym/llm/internal/byte_spelling.h"

#include <array>

namespace dreamgym {
namespace {

constexpr unsigned kFirstSpare = 0x100;  // the unprintable bytes get U+0100, U+0101, ...
constexpr unsigned kNumSpare = 68;

constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

struct Spelling {
  std::array<unsigned, 256> code_points{};
  std::array<unsigned char, kFirstSpare + kNumSpare> bytes{};
};

constexpr Spelling make_spelling() {
  Spelling spelling;
  unsigned spare = kFirstSpare;
  for (unsigned byte = 0; byte < 256; ++byte) {
    spelling.code_points[byte] = is_printable(byte) ? byte : spare++;
    spelling.bytes[spelling.code_points[byte]] = static_cast<unsigned char>(byte);
  }
  return spelling;
}

constexpr Spelling kSpelling = make_spelling();

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  std::string spelling;
  for (const char c : bytes) {
    const unsigned code_point = kSpelling.code_points[static_cast<unsigned char>(c)];
    if (code_point < 0x80) {
      spelling += static_cast<char>(code_point);
    } else {
      spelling += static_cast<char>(0xc0U | code_point >> 6U);
      spelling += static_cast<char>(0x80U | (code_point & 0x3fU));
    }
  }
  return spelling;
}

std::optional<std::string> unspell_bytes(std::string_view spelling) {
  std::string bytes;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    unsigned code_point = static_cast<unsigned char>(spelling[i]);
    if (code_point >= 0x80) {
      if (code_point >= 0xe0 || i + 1 == spelling.size()) {
        return std::nullopt;  // three bytes or more: past every spelling
      }
      code_point = (code_point & 0x1fU) << 6U | (static_cast<unsigned char>(spelling[++i]) & 0x3fU);
    }
    if (code_point >= kSpelling.bytes.size() ||
        (code_point < kFirstSpare && !is_printable(code_point))) {
      return std::nullopt;
    }
    bytes += static_cast<char>(kSpelling.bytes[code_point]);
  }
  return bytes;
}

}  // namespace dreamgym
