// JSON lines in, JSON lines out, in step, so that a program can ask as it goes.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::lm {

using Json = nlohmann::ordered_json;

/// The next line that is not blank, or nothing at the end. @param number  of the line, counted on.
/// @throws Error kParse for a line that is no JSON, naming the line.
std::optional<Json> next_line(std::istream& in, std::size_t& number);

/// What `work` throws, with the line's number before it.
template <class Work>
auto of_line(std::size_t number, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.kind(), "line " + std::to_string(number) + ": " + error.what());
  }
}

void write_line(std::ostream& out, const Json& said);

/// Answers each line of `in` with the lines `answer` gives for it; blank lines are left out.
/// @throws Error what `answer` throws, and kParse for a line that is no JSON, naming the line.
void answer_lines(std::istream& in,
                  std::ostream& out,
                  const std::function<std::vector<Json>(const Json& line)>& answer);

/// Bytes as text that can stand in JSON: what is no UTF-8 becomes U+FFFD.
std::string printable(const std::string& bytes);

/// The value as a T. @throws Error kParse that calls it `what`.
template <class T>
T value_as(const Json& value, const std::string& what) {
  try {
    return value.get<T>();
  } catch (const nlohmann::json::exception&) {
    const std::string text =
        value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    throw Error(ErrorKind::kParse, what + " has the wrong type: " + shorten(text, 80));
  }
}

/// line[key] as a T. @throws Error kParse if it is missing or of another type.
template <class T>
T field(const Json& line, const char* key) {
  const auto found = line.is_object() ? line.find(key) : line.end();
  if (found == line.end()) {
    throw Error(ErrorKind::kParse, std::string("\"") + key + "\" is missing");
  }
  return value_as<T>(*found, std::string("\"") + key + "\"");
}

/// The same, or `otherwise` where it is missing or null.
template <class T>
T field_or(const Json& line, const char* key, T otherwise) {
  const auto found = line.is_object() ? line.find(key) : line.end();
  return found == line.end() || found->is_null() ? std::move(otherwise) : field<T>(line, key);
}

}  // namespace dreamgym::lm
