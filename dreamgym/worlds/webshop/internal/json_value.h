// A JSON value by where its parts lie in the text, for reading large files: nothing is copied until
// it is asked for, so members nobody reads cost a scan.
//
// Structure is checked here; a text or number with anything unusual in it goes through the library
// (nlohmann/json) when it is read. Thread safety: values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dreamgym::webshop {

/// Lifetime: views into the text it was parsed from.
struct JsonValue {
  enum class Kind { kNull, kOther, kText, kList, kObject };  // kOther: number, true, false

  Kind kind = Kind::kNull;
  std::string_view raw{};                                    ///< as it is written
  std::vector<JsonValue> items{};                            ///< of a list
  std::vector<std::pair<std::string, JsonValue>> members{};  ///< of an object, in order

  /// The last member of that name, or null.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
  /// The characters of a kText. @throws nlohmann::json::exception if an escape is none or it is no
  /// UTF-8.
  [[nodiscard]] std::string text() const;
};

/// @throws nlohmann::json::exception if the text is not one JSON value; Error kUnsupported if lists
/// and objects stand more than 100 deep in each other.
JsonValue parse_json_value(std::string_view text);

}  // namespace dreamgym::webshop
