#include "dreamgym/worlds/webshop/internal/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 100;

/// Thrown where the structure is wrong; the library then says what it is.
struct NoJson {};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonValue parse() {
    JsonValue value = read(0);
    skip_blanks();
    if (at_ != text_.size()) {
      throw NoJson();
    }
    return value;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
      ++at_;
    }
  }
  void expect(char c) {
    if (peek() != c) {
      throw NoJson();
    }
    ++at_;
  }
  /// True once behind the closing bracket; a comma in front of the next element is taken.
  bool ends(char close, bool first) {
    skip_blanks();
    if (peek() == close) {
      ++at_;
      return true;
    }
    if (!first) {
      expect(',');
    }
    return false;
  }

  JsonValue read(int depth) {
    if (depth > kDeepest) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("lists and objects stand more than {} deep in each other", kDeepest));
    }
    skip_blanks();
    const std::size_t begin = at_;
    JsonValue value;
    switch (peek()) {
      case '"':
        skip_text();
        value.kind = JsonValue::Kind::kText;
        break;
      case '[':
        ++at_;
        value.kind = JsonValue::Kind::kList;
        while (!ends(']', value.items.empty())) {
          value.items.push_back(read(depth + 1));
        }
        break;
      case '{':
        ++at_;
        value.kind = JsonValue::Kind::kObject;
        while (!ends('}', value.members.empty())) {
          read_member(depth, value);
        }
        break;
      default:
        skip_bare();
        value.kind = text_.substr(begin, at_ - begin) == "null" ? JsonValue::Kind::kNull
                                                                : JsonValue::Kind::kOther;
        break;
    }
    value.raw = text_.substr(begin, at_ - begin);
    return value;
  }

  void read_member(int depth, JsonValue& object) {
    skip_blanks();
    const std::size_t begin = at_;
    skip_text();
    const JsonValue name{.kind = JsonValue::Kind::kText, .raw = text_.substr(begin, at_ - begin)};
    skip_blanks();
    expect(':');
    object.members.emplace_back(name.text(), read(depth + 1));
  }

  void skip_text() {
    expect('"');
    while (at_ < text_.size() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    expect('"');
  }

  void skip_bare() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \n\r\t,]}", at_), text_.size());
    const std::string_view bare = text_.substr(begin, at_ - begin);
    if (bare != "null" && !Json::accept(bare)) {
      throw NoJson();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_plain(char c) {
  return c >= 0x20 && c != '\\';  // no escape, control character or letter outside ASCII
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const auto& [known, value] : members | std::views::reverse) {
    if (known == name) {
      return &value;
    }
  }
  return nullptr;
}

std::string JsonValue::text() const {
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  return std::ranges::all_of(inside, is_plain) ? std::string(inside)
                                               : Json::parse(raw).get<std::string>();
}

JsonValue parse_json_value(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (const NoJson&) {
    const Json other = Json::parse(text);  // says what is wrong
    check(other.is_discarded(), "what this parser refuses the library refuses too");
    return {};
  }
}

}  // namespace dreamgym::webshop
