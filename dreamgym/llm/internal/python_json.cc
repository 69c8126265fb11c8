#include "dreamgym/llm/internal/python_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

/// Python's repr of a float: the shortest digits that read back, with an exponent below 1e-4 and
/// from 1e16 on.
std::string float_text(double value) {
  std::array<char, 64> digits{};
  const double size = std::abs(value);
  const bool scientific = value != 0 && (size < 1e-4 || size >= 1e16);
  const auto end =
      std::to_chars(digits.data(),
                    digits.data() + digits.size(),
                    value,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed)
          .ptr;
  std::string text(digits.data(), end);
  return scientific || text.find('.') != std::string::npos ? text : text + ".0";
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value, int depth) {
    if (value.is_object()) {
      write_members(value, depth, '{', '}');
    } else if (value.is_array()) {
      write_members(value, depth, '[', ']');
    } else if (value.is_number_float()) {
      text_ += float_text(value.get<double>());
    } else {
      text_ += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void write_members(const Json& value, int depth, char open, char close) {
    text_ += open;
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) {
        text_ += indent_ > 0 ? "," : ", ";
      }
      first = false;
      start_line(depth + 1);
      if (value.is_object()) {
        text_ += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      }
      write(member, depth + 1);
    }
    if (!first) {
      start_line(depth);
    }
    text_ += close;
  }

  void start_line(int depth) {
    if (indent_ > 0) {
      text_ += '\n';
      text_.append(static_cast<std::size_t>(depth * indent_), ' ');
    }
  }

  int indent_;
  std::string text_;
};

}  // namespace

std::string python_json(const Json& value, int indent) {
  Writer writer(indent);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace dreamgym
