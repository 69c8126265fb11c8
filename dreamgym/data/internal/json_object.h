// A JSON object read with care: every complaint names the key, what was expected and what is there.
//
// null counts as absent. Thread safety: values; borrows the JSON for its own lifetime.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace dreamgym::internal {

using Json = nlohmann::ordered_json;

/// @throws Error kParse naming the byte, also for invalid UTF-8.
Json parse_json(std::string_view text);

/// One line of JSON; bytes that are not UTF-8 become U+FFFD.
std::string write_json(const Json& json);

/// What kind of JSON value it is and how it begins, e.g. `a string ("abc")`.
std::string describe(const Json& value);

class JsonObject {
 public:
  /// @param where  path of the object for messages, e.g. "steps[3]"; "" for the record itself.
  /// @throws Error kParse if it is no object.
  JsonObject(const Json& value, std::string where);

  /// The value, or null if it is absent.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The value of the first of these keys that is there, or null.
  [[nodiscard]] const Json* find_any(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] std::string text(std::string_view key, std::string_view fallback = "") const;
  [[nodiscard]] std::string required_text(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key, double fallback) const;
  [[nodiscard]] bool boolean(std::string_view key, bool fallback) const;
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t fallback) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// Texts by name; other values are kept as their JSON text.
  [[nodiscard]] std::map<std::string, std::string> text_map(std::string_view key) const;
  [[nodiscard]] const Json& required_list(std::string_view key) const;

  /// Path of a key (and an item of its list) for messages, e.g. "steps[3].reward".
  [[nodiscard]] std::string path(std::string_view key) const;
  [[nodiscard]] std::string path(std::string_view key, std::size_t index) const;
  /// @throws Error kParse: `key "steps[3].reward": expected a number, got a string ("abc")`.
  [[noreturn]] void refuse(std::string_view key,
                           std::string_view expected,
                           const Json* value) const;

 private:
  const Json* object_;
  std::string where_;
};

}  // namespace dreamgym::internal
