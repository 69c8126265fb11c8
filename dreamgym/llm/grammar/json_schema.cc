#include "dreamgym/llm/grammar/json_schema.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostDepth = 32;
constexpr std::size_t kMostValues = 10'000;  // of a schema that refers to its parts again and again
constexpr std::int64_t kMostIntegers = 4096;  // of a range that is written out
constexpr std::size_t kMostDigits = 18;

const std::set<std::string>& annotations() {
  static const std::set<std::string> kNames = {"$schema", "$id",      "$comment",   "$defs",
                                               "title",   "default",  "definitions", "description",
                                               "examples", "deprecated", "readOnly", "writeOnly"};
  return kNames;
}

// A comma or colon, and perhaps a blank.
PatternPtr separator(char mark) {
  return pattern::sequence({pattern::literal(std::string(1, mark)),
                            pattern::optional(pattern::literal(" "))});
}

PatternPtr digits(std::size_t at_least, std::size_t at_most) {
  return pattern::repeat(pattern::bytes('0', '9'), at_least, at_most);
}

PatternPtr integer() {
  return pattern::sequence(
      {pattern::optional(pattern::literal("-")),
       pattern::any_of({pattern::literal("0"),
                        pattern::sequence({pattern::bytes('1', '9'), digits(0, kMostDigits - 1)})})});
}

PatternPtr number() {
  const PatternPtr fraction = pattern::sequence({pattern::literal("."), digits(1, kMostDigits)});
  const PatternPtr exponent = pattern::sequence(
      {pattern::any_of({pattern::literal("e"), pattern::literal("E")}),
       pattern::optional(pattern::any_of({pattern::literal("+"), pattern::literal("-")})),
       digits(1, 2)});
  return pattern::sequence({integer(), pattern::optional(fraction), pattern::optional(exponent)});
}

// Of a text: itself, or an escape. No half of a surrogate pair.
PatternPtr character() {
  const PatternPtr hex = pattern::any_of(
      {pattern::bytes('0', '9'), pattern::bytes('a', 'f'), pattern::bytes('A', 'F')});
  const PatternPtr high = pattern::any_of({pattern::bytes('0', '9'),
                                           pattern::bytes('a', 'c'),
                                           pattern::bytes('A', 'C'),
                                           pattern::bytes('e', 'f'),
                                           pattern::bytes('E', 'F')});
  const PatternPtr of_d = pattern::sequence(
      {pattern::any_of({pattern::literal("d"), pattern::literal("D")}), pattern::bytes('0', '7')});
  std::vector<PatternPtr> escapes;
  for (const char c : std::string_view("\"\\/bfnrt")) {
    escapes.push_back(pattern::literal(std::string(1, c)));
  }
  escapes.push_back(pattern::sequence(
      {pattern::literal("u"),
       pattern::any_of({pattern::sequence({high, hex}), of_d}),
       hex,
       hex}));
  return pattern::any_of({pattern::bytes(0x20, 0x21),
                          pattern::bytes(0x23, 0x5b),
                          pattern::bytes(0x5d, 0x7e),
                          pattern::beyond_ascii(),
                          pattern::sequence({pattern::literal("\\"), pattern::any_of(escapes)})});
}

class SchemaReader {
 public:
  SchemaReader(const Json& root, std::string origin) : root_(root), origin_(std::move(origin)) {}

  PatternPtr value(const Json& schema, const std::string& place, int depth) {
    if (depth > kMostDepth) {
      refuse(place, "is nested too deeply, or refers to itself");
    }
    if (++num_values_ > kMostValues) {
      refuse(place, fmt::format("is one of more than {} values", kMostValues));
    }
    if (!schema.is_object()) {
      refuse(place, "is no object, so it says nothing of the value's form");
    }
    if (schema.contains("$ref")) {
      check_keys(schema, place, {"$ref"});
      return value(referred(schema["$ref"], place), place + "/$ref", depth + 1);
    }
    if (schema.contains("const")) {
      return pattern::literal(schema["const"].dump());
    }
    if (schema.contains("enum")) {
      return one_of_values(schema["enum"], place);
    }
    if (schema.contains("anyOf")) {
      check_keys(schema, place, {"anyOf"});
      return each_of(list(schema["anyOf"], place + "/anyOf"), place + "/anyOf", depth);
    }
    const auto type = schema.find("type");
    if (type == schema.end()) {
      refuse(place, "has no type");
    }
    if (!type->is_array()) {
      return typed(schema, text(*type, place + "/type"), place, depth);
    }
    std::vector<PatternPtr> types;
    for (const Json& name : *type) {
      types.push_back(typed(schema, text(name, place + "/type"), place, depth));
    }
    return pattern::any_of(std::move(types));
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what) const {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: the schema at #{} {}", origin_, place, what),
                "known keywords: type, properties, required, items, enum, const, anyOf, $ref, and "
                "bounds on texts and lists");
  }

  void check_keys(const Json& schema,
                  const std::string& place,
                  std::initializer_list<std::string_view> known) const {
    for (const auto& [key, unused] : schema.items()) {
      if (!annotations().contains(key) && std::ranges::find(known, key) == known.end()) {
        refuse(place, fmt::format("has the keyword \"{}\", which can't be kept to", shorten(key, 40)));
      }
    }
  }

  std::string text(const Json& json, const std::string& place) const {
    if (!json.is_string()) {
      refuse(place, "is no text");
    }
    return json.get<std::string>();
  }

  const Json& list(const Json& json, const std::string& place) const {
    if (!json.is_array() || json.empty()) {
      refuse(place, "is no list, or an empty one");
    }
    return json;
  }

  std::size_t bound(const Json& schema,
                    const char* key,
                    std::size_t otherwise,
                    const std::string& place) const {
    const auto found = schema.find(key);
    if (found == schema.end()) {
      return otherwise;
    }
    if (!found->is_number_unsigned()) {
      refuse(place, fmt::format("has a \"{}\" that is no count", key));
    }
    return found->get<std::size_t>();
  }

  const Json& referred(const Json& reference, const std::string& place) const {
    const std::string name = text(reference, place);
    for (const char* key : {"$defs", "definitions"}) {
      const std::string prefix = fmt::format("#/{}/", key);
      if (name.starts_with(prefix) && root_.contains(key) && root_[key].is_object() &&
          root_[key].contains(name.substr(prefix.size()))) {
        return root_[key][name.substr(prefix.size())];
      }
    }
    refuse(place, "refers to " + shorten(name, 60) + ", which is not in $defs");
  }

  PatternPtr one_of_values(const Json& values, const std::string& place) const {
    std::vector<PatternPtr> literals;
    for (const Json& one : list(values, place + "/enum")) {
      literals.push_back(pattern::literal(one.dump()));
    }
    return pattern::any_of(std::move(literals));
  }

  PatternPtr each_of(const Json& schemas, const std::string& place, int depth) {
    std::vector<PatternPtr> parts;
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      parts.push_back(value(schemas[i], fmt::format("{}/{}", place, i), depth + 1));
    }
    return pattern::any_of(std::move(parts));
  }

  PatternPtr typed(const Json& schema, const std::string& type, const std::string& place, int depth) {
    if (type == "string") {
      check_keys(schema, place, {"type", "minLength", "maxLength"});
      const auto quote = pattern::literal("\"");
      const std::size_t longest = bound(schema, "maxLength", Pattern::kUnlimited, place);
      const std::size_t shortest = bound(schema, "minLength", 0, place);
      require_order(shortest, longest, place);
      return pattern::sequence({quote, pattern::repeat(character(), shortest, longest), quote});
    }
    if (type == "integer") {
      check_keys(schema, place, {"type", "minimum", "maximum"});
      return schema.contains("minimum") || schema.contains("maximum") ? integers(schema, place)
                                                                      : integer();
    }
    if (type == "number") {
      check_keys(schema, place, {"type"});
      return number();
    }
    if (type == "boolean") {
      check_keys(schema, place, {"type"});
      return pattern::any_of({pattern::literal("true"), pattern::literal("false")});
    }
    if (type == "null") {
      return pattern::literal("null");
    }
    if (type == "array") {
      return array(schema, place, depth);
    }
    if (type == "object") {
      return object(schema, place, depth);
    }
    refuse(place, "has the unknown type \"" + shorten(type, 40) + "\"");
  }

  void require_order(std::size_t least, std::size_t most, const std::string& place) const {
    if (least > most) {
      refuse(place, fmt::format("allows nothing: at least {} and at most {}", least, most));
    }
  }

  PatternPtr integers(const Json& schema, const std::string& place) const {
    for (const char* key : {"minimum", "maximum"}) {
      if (!schema.contains(key) || !schema[key].is_number_integer()) {
        refuse(place, "bounds an integer on one side only, or by no integer");
      }
    }
    const auto least = schema["minimum"].get<std::int64_t>();
    const auto most = schema["maximum"].get<std::int64_t>();
    if (most < least || most - least >= kMostIntegers) {
      refuse(place, fmt::format("allows the integers {} to {}; expected 1 to {} of them", least, most, kMostIntegers));
    }
    std::vector<PatternPtr> each;
    for (std::int64_t i = least; i <= most; ++i) {
      each.push_back(pattern::literal(std::to_string(i)));
    }
    return pattern::any_of(std::move(each));
  }

  PatternPtr array(const Json& schema, const std::string& place, int depth) {
    check_keys(schema, place, {"type", "items", "minItems", "maxItems"});
    if (!schema.contains("items")) {
      refuse(place, "is a list without \"items\"");
    }
    const std::size_t most = bound(schema, "maxItems", Pattern::kUnlimited, place);
    const std::size_t least = bound(schema, "minItems", 0, place);
    require_order(least, most, place);
    const PatternPtr item = value(schema["items"], place + "/items", depth + 1);
    const auto open = pattern::literal("[");
    const auto close = pattern::literal("]");
    if (most == 0) {
      return pattern::sequence({open, close});
    }
    const PatternPtr more = pattern::repeat(pattern::sequence({separator(','), item}),
                                            least == 0 ? 0 : least - 1,
                                            most == Pattern::kUnlimited ? most : most - 1);
    PatternPtr items = pattern::sequence({item, more});
    return pattern::sequence({open, least == 0 ? pattern::optional(items) : items, close});
  }

  PatternPtr object(const Json& schema, const std::string& place, int depth) {
    check_keys(schema, place, {"type", "properties", "required", "additionalProperties"});
    const auto more = schema.find("additionalProperties");
    if (more != schema.end() && !more->is_boolean()) {
      refuse(place, "describes additional properties, which have no names to write");
    }
    const Json none = Json::object();
    const Json& properties = schema.contains("properties") ? schema["properties"] : none;
    if (!properties.is_object()) {
      refuse(place + "/properties", "is no object");
    }
    std::vector<std::string> names;
    if (schema.contains("required")) {
      if (!schema["required"].is_array()) {
        refuse(place + "/required", "is no list");
      }
      for (const Json& name : schema["required"]) {
        names.push_back(text(name, place + "/required"));
        if (!properties.contains(names.back())) {
          refuse(place, "requires \"" + shorten(names.back(), 40) + "\" and does not describe it");
        }
      }
    }
    const std::size_t num_required = names.size();
    for (const auto& [name, unused] : properties.items()) {
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    std::vector<PatternPtr> members;
    for (const std::string& name : names) {
      members.push_back(pattern::sequence(
          {pattern::literal(Json(name).dump()),
           separator(':'),
           value(properties[name], fmt::format("{}/properties/{}", place, name), depth + 1)}));
    }
    return pattern::sequence(
        {pattern::literal("{"), member_list(members, num_required), pattern::literal("}")});
  }

  // The required ones in order, then any of the optional ones in order.
  static PatternPtr member_list(const std::vector<PatternPtr>& members, std::size_t num_required) {
    const PatternPtr comma = separator(',');
    const auto from = [&](std::size_t first) {  // members[first], and what may follow it
      std::vector<PatternPtr> parts = {members[first]};
      for (std::size_t i = first + 1; i < members.size(); ++i) {
        const PatternPtr next = pattern::sequence({comma, members[i]});
        parts.push_back(i < num_required ? next : pattern::optional(next));
      }
      return pattern::sequence(std::move(parts));
    };
    if (num_required > 0) {
      return from(0);
    }
    std::vector<PatternPtr> ways = {pattern::sequence({})};
    for (std::size_t first = 0; first < members.size(); ++first) {
      ways.push_back(from(first));
    }
    return pattern::any_of(std::move(ways));
  }

  const Json& root_;
  std::string origin_;
  std::size_t num_values_ = 0;
};

}  // namespace

PatternPtr json_schema_pattern(std::string_view schema, const std::string& origin) {
  const Json json = Json::parse(schema, nullptr, false);
  if (json.is_discarded()) {
    throw Error(ErrorKind::kParse, origin + ": the schema is no JSON");
  }
  return SchemaReader(json, origin).value(json, "", 0);
}

}  // namespace dreamgym
