#include "dreamgym/worlds/webshop/internal/json_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

/// Characters of a file, block by block.
class Reader {
 public:
  explicit Reader(const Path& path)
      : path_(path), file_(path, std::ios::binary), block_(1U << 18U) {
    if (!file_) {
      const int reason = errno;
      throw Error(reason == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
                  fmt::format("{}: can't be read: {}", path.string(), std::strerror(reason)),
                  "expected one of the shop's JSON files");
    }
  }

  /// The character to come, or '\0' at the end.
  char peek() {
    if (at_ == size_) {
      file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
      size_ = static_cast<std::size_t>(file_.gcount());
      at_ = 0;
    }
    return at_ < size_ ? block_[at_] : '\0';
  }
  char take() {
    const char c = peek();
    at_ += c == '\0' && at_ == size_ ? 0 : 1;
    return c;
  }
  /// Appends the characters to come up to the first that `stops` is true for, or the file's end.
  template <class Stops>
  void copy_up_to(const Stops& stops, std::string& text) {
    while (peek() != '\0') {
      const auto begin = block_.begin() + static_cast<std::ptrdiff_t>(at_);
      const auto end = block_.begin() + static_cast<std::ptrdiff_t>(size_);
      const auto found = std::find_if(begin, end, stops);
      text.append(begin, found);
      at_ = static_cast<std::size_t>(found - block_.begin());
      if (found != end) {
        return;
      }
    }
  }
  char peek_word() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
      take();
    }
    return peek();
  }
  [[noreturn]] void fail(std::size_t number, const std::string& why) const {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: element {}: {}", path_.string(), number, why),
                "is the file whole? fetch it again");
  }

 private:
  const Path& path_;
  std::ifstream file_;
  std::vector<char> block_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

/// Copies the rest of a string whose quote was taken.
void copy_string(Reader& reader, std::size_t number, std::string& text) {
  for (;;) {
    reader.copy_up_to([](char c) { return c == '"' || c == '\\'; }, text);
    const char c = reader.take();
    if (c == '\0') {
      reader.fail(number, "the file ends inside a text");
    }
    text += c;
    if (c == '"') {
      return;
    }
    text += reader.take();
  }
}

/// Characters that matter to how deep inside a value one is.
bool ends_or_opens(char c) {
  return c == '"' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']';
}

/// Copies one value up to the ',' or closing bracket behind it.
void copy_value(Reader& reader, std::size_t number, std::string& text) {
  text.clear();
  int depth = 0;
  for (;;) {
    reader.copy_up_to(ends_or_opens, text);
    const char c = reader.peek();
    if (c == '\0') {
      reader.fail(number, "the file ends inside it");
    }
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
      return;
    }
    text += reader.take();
    if (c == '"') {
      copy_string(reader, number, text);
    }
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= c == '}' || c == ']' ? 1 : 0;
  }
}

/// What `read` gives, with the element named in its errors.
auto reading(const Reader& reader, std::size_t number, const std::string& text, const auto& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    reader.fail(number, fmt::format("no JSON: {}: {}", error.what(), shorten(text, 80)));
  } catch (const Error& error) {
    reader.fail(number, error.what());
  }
}

}  // namespace

void for_each_json_element(const Path& path,
                           const std::function<bool(const std::string&, const JsonValue&)>& visit) {
  Reader reader(path);
  const char open = reader.peek_word();
  if (open != '[' && open != '{') {
    reader.fail(0, "expected a JSON list or object");
  }
  const char close = open == '[' ? ']' : '}';
  reader.take();
  std::string text;
  for (std::size_t number = 1; reader.peek_word() != close; ++number) {
    std::string key;
    if (open == '{') {
      if (reader.take() != '"') {
        reader.fail(number, "expected a name in double quotes");
      }
      text = "\"";
      copy_string(reader, number, text);
      key = reading(reader, number, text, [&] { return parse_json_value(text).text(); });
      if (reader.peek_word() != ':') {
        reader.fail(number, "expected ':' behind its name");
      }
      reader.take();
    }
    copy_value(reader, number, text);
    const JsonValue value = reading(reader, number, text, [&] { return parse_json_value(text); });
    if (!visit(key, value)) {
      return;
    }
    if (reader.peek_word() == ',') {
      reader.take();
    } else if (reader.peek() != close) {
      reader.fail(number, "the file ends behind it, expected ',' or a closing bracket");
    }
  }
}

}  // namespace dreamgym::webshop
