#include "dreamgym/data/internal/json_object.h"

#include <fmt/format.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::internal {

Json parse_json(std::string_view text) {
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    throw Error(ErrorKind::kParse,
                fmt::format("byte {} is not valid UTF-8 (0x{:02x})",
                            bad + 1,
                            static_cast<unsigned char>(text[bad])),
                "convert the file to UTF-8, e.g. with iconv");
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    std::string_view reason = error.what();
    if (const std::size_t at = reason.rfind(": "); at != std::string_view::npos) {
      reason.remove_prefix(at + 2);
    }
    if (error.byte > text.size()) {
      throw Error(ErrorKind::kParse,
                  fmt::format("not valid JSON: it breaks off after byte {}: {}", text.size(), shorten(reason, 200)));
    }
    throw Error(
        ErrorKind::kParse,
        fmt::format(
            "not valid JSON at byte {} of {}: {}", error.byte, text.size(), shorten(reason, 200)));
  } catch (const Json::exception& error) {  // e.g. a number no double can hold
    throw Error(ErrorKind::kParse, fmt::format("not usable JSON: {}", shorten(error.what(), 200)));
  }
}

std::string write_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string describe(const Json& value) {
  if (value.is_null()) {
    return "null";
  }
  std::string_view kind = "a number";
  if (value.is_object()) {
    kind = "an object";
  } else if (value.is_array()) {
    kind = "a list";
  } else if (value.is_string()) {
    kind = "a string";
  } else if (value.is_boolean()) {
    kind = "a boolean";
  }
  return fmt::format("{} ({})", kind, shorten(write_json(value), 60));
}

JsonObject::JsonObject(const Json& value, std::string where)
    : object_(&value), where_(std::move(where)) {
  if (!value.is_object()) {
    const std::string what = where_.empty() ? "the record" : fmt::format("key \"{}\"", where_);
    throw Error(ErrorKind::kParse,
                fmt::format("{}: expected an object, got {}", what, describe(value)));
  }
}

const Json* JsonObject::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json* JsonObject::find_any(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (const Json* value = find(key)) {
      return value;
    }
  }
  return nullptr;
}

std::string JsonObject::text(std::string_view key, std::string_view fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return std::string(fallback);
  }
  if (!value->is_string()) {
    refuse(key, "a string", value);
  }
  return value->get_ref<const std::string&>();
}

std::string JsonObject::required_text(std::string_view key) const {
  if (find(key) == nullptr) {
    refuse(key, "a string", nullptr);
  }
  return text(key);
}

double JsonObject::number(std::string_view key, double fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    refuse(key, "a finite number", value);
  }
  return value->get<double>();
}

bool JsonObject::boolean(std::string_view key, bool fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_boolean()) {
    refuse(key, "true or false", value);
  }
  return value->get<bool>();
}

std::uint64_t JsonObject::count(std::string_view key, std::uint64_t fallback) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_number_unsigned()) {
    refuse(key, "a whole number from 0 to 2^64 - 1", value);
  }
  return value->get<std::uint64_t>();
}

std::vector<std::string> JsonObject::texts(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_array()) {
    refuse(key, "a list of strings", value);
  }
  std::vector<std::string> items;
  items.reserve(value->size());
  for (const Json& item : *value) {
    if (!item.is_string()) {
      refuse(fmt::format("{}[{}]", key, items.size()), "a string", &item);
    }
    items.push_back(item.get_ref<const std::string&>());
  }
  return items;
}

std::map<std::string, std::string> JsonObject::text_map(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_object()) {
    refuse(key, "an object", value);
  }
  std::map<std::string, std::string> items;
  for (const auto& [name, item] : value->items()) {
    items[name] = item.is_string() ? item.get_ref<const std::string&>() : write_json(item);
  }
  return items;
}

const Json& JsonObject::required_list(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr || !value->is_array()) {
    refuse(key, "a list", value);
  }
  return *value;
}

std::string JsonObject::path(std::string_view key) const {
  return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
}

std::string JsonObject::path(std::string_view key, std::size_t index) const {
  return fmt::format("{}[{}]", path(key), index);
}

void JsonObject::refuse(std::string_view key, std::string_view expected, const Json* value) const {
  throw Error(ErrorKind::kParse,
              fmt::format("key \"{}\": expected {}, got {}",
                          path(key),
                          expected,
                          value == nullptr ? "nothing" : describe(*value)));
}

}  // namespace dreamgym::internal
