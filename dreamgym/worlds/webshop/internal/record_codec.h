// Numbers, texts and lists of texts in bytes: the records of a parsed catalogue.
//
// A number is written seven bits a byte, the lowest first; a text is its length and its bytes; a
// list is its length and its items. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::webshop {

class ByteWriter {
 public:
  void number(std::uint64_t value);
  void text(std::string_view value);
  void texts(const std::vector<std::string>& values);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Lifetime: its bytes must live as long as what text() gives.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  /// Each @throws Error kCorrupt if the bytes end early.
  std::uint64_t number();
  std::string_view text();
  std::vector<std::string> texts();
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace dreamgym::webshop
