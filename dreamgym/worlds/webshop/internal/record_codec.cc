#include "dreamgym/worlds/webshop/internal/record_codec.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {
namespace {

constexpr unsigned kBits = 7;
constexpr std::uint64_t kMore = std::uint64_t{1} << kBits;

[[noreturn]] void refuse() {
  throw Error(ErrorKind::kCorrupt,
              "parsed catalogue: a record ends early",
              "remove the file; it is made anew from the catalogue's files");
}

}  // namespace

void ByteWriter::number(std::uint64_t value) {
  for (; value >= kMore; value >>= kBits) {
    bytes_ += static_cast<char>((value & (kMore - 1)) | kMore);
  }
  bytes_ += static_cast<char>(value);
}

void ByteWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void ByteWriter::texts(const std::vector<std::string>& values) {
  number(values.size());
  for (const std::string& value : values) {
    text(value);
  }
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if (bytes_.empty()) {
      refuse();
    }
    const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_.front()));
    bytes_.remove_prefix(1);
    value |= (byte & (kMore - 1)) << shift;
    if (byte < kMore) {
      return value;
    }
  }
  refuse();
}

std::string_view ByteReader::text() {
  const std::uint64_t size = number();
  if (size > bytes_.size()) {
    refuse();
  }
  const std::string_view value = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return value;
}

std::vector<std::string> ByteReader::texts() {
  const std::uint64_t count = number();
  std::vector<std::string> values;
  values.reserve(std::min<std::uint64_t>(count, bytes_.size()));
  for (std::uint64_t i = 0; i < count; ++i) {
    values.emplace_back(text());
  }
  return values;
}

}  // namespace dreamgym::webshop
