// Fields of a JSON object, with errors that name the file and the field.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

inline std::string json_excerpt(const nlohmann::json& json) {
  return shorten(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), 120);
}

/// @throws Error kParse if the field is missing or of another type.
template <class T>
T field_of(const nlohmann::json& json, const std::string& where, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) {
    throw Error(ErrorKind::kParse, where + ": field \"" + name + "\" is missing");
  }
  try {
    return found->template get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kParse,
                where + ": field \"" + name + "\" has the wrong type: " + json_excerpt(*found));
  }
}

/// As above, but null and missing mean `otherwise`.
template <class T>
T field_or(const nlohmann::json& json, const std::string& where, const char* name, T otherwise) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? otherwise : field_of<T>(json, where, name);
}

/// @throws Error kParse unless the text is a JSON object.
inline nlohmann::json parse_object(std::string_view text, const std::string& where) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw Error(ErrorKind::kParse, where + " is not a JSON object");
  }
  return json;
}

}  // namespace dreamgym
