#include "dreamgym/config/toml_binding.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

std::string describe(Range range) {
  if (std::isinf(range.low) && std::isinf(range.high)) {
    return "any number";
  }
  if (std::isinf(range.high)) {
    return fmt::format("at least {}", range.low);
  }
  return fmt::format("in [{}, {}]", range.low, range.high);
}

// Arrays become their elements joined by newlines, which no element of ours holds.
std::string scalar_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* integer = node.as_integer()) {
    return fmt::format("{}", integer->get());
  }
  if (const auto* real = node.as_floating_point()) {
    return fmt::format("{}", real->get());
  }
  if (const auto* boolean = node.as_boolean()) {
    return boolean->get() ? "true" : "false";
  }
  throw Error(ErrorKind::kConfig, where + ": expected text, a number, true or false");
}

void flatten(const toml::table& table,
             const std::string& prefix,
             const std::string& origin,
             std::map<std::string, ConfigValues::Value>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const std::string where = fmt::format("{}:{}", origin, node.source().begin.line);
    if (const auto* inner = node.as_table()) {
      flatten(*inner, name + ".", origin, out);
    } else if (const auto* array = node.as_array()) {
      std::vector<std::string> items;
      for (const auto& item : *array) {
        items.push_back(scalar_text(item, where));
      }
      out[name] = {join(items, "\n"), where};
    } else {
      out[name] = {scalar_text(node, where), where};
    }
  }
}

[[noreturn]] void fail(const std::string& key,
                       const ConfigValues::Value& value,
                       const std::string& expected,
                       std::string_view help) {
  throw Error(ErrorKind::kConfig,
              fmt::format("{}: {} = {}, expected {}", value.origin, key, value.text, expected),
              fmt::format("{} is: {}", key, help));
}

double to_number(const std::string& key,
                 const ConfigValues::Value& value,
                 std::string_view help,
                 Range range) {
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc{} || stop != end || !std::isfinite(number) || number < range.low ||
      number > range.high) {
    fail(key, value, describe(range), help);
  }
  return number;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

ConfigValues ConfigValues::from_file(const std::string& path) {
  return from_text(read_file(path), path);
}

ConfigValues ConfigValues::from_text(std::string_view text, const std::string& origin) {
  ConfigValues out;
  try {
    flatten(toml::parse(text), "", origin, out.values_);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}:{}:{}: {}",
                            origin,
                            error.source().begin.line,
                            error.source().begin.column,
                            error.description()),
                "the file must be TOML: key = value lines under [section] headers");
  }
  return out;
}

void ConfigValues::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--set {}: expected section.key=value", assignment));
  }
  const std::string key(trim(assignment.substr(0, equals)));
  values_[key] = {std::string(trim(assignment.substr(equals + 1))), "--set"};
}

const ConfigValues::Value* ConfigValues::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

FieldReader::FieldReader(const ConfigValues& values, std::string prefix)
    : values_(values), prefix_(std::move(prefix)) {}

const ConfigValues::Value* FieldReader::take(std::string_view name) {
  known_.push_back(prefix_ + std::string(name));
  return values_.find(known_.back());
}

void FieldReader::operator()(std::string_view name,
                             double& value,
                             std::string_view help,
                             Range range) {
  if (const auto* given = take(name)) {
    value = to_number(known_.back(), *given, help, range);
  }
}

void FieldReader::operator()(std::string_view name,
                             std::size_t& value,
                             std::string_view help,
                             Range range) {
  if (const auto* given = take(name)) {
    range.low = std::max(range.low, 0.0);
    const double number = to_number(known_.back(), *given, help, range);
    if (number != std::floor(number) || number > 9e15) {
      fail(known_.back(), *given, "a whole number " + describe(range), help);
    }
    value = static_cast<std::size_t>(number);
  }
}

void FieldReader::operator()(std::string_view name,
                             bool& value,
                             std::string_view help,
                             Range /*range*/) {
  if (const auto* given = take(name)) {
    if (given->text != "true" && given->text != "false") {
      fail(known_.back(), *given, "true or false", help);
    }
    value = given->text == "true";
  }
}

void FieldReader::operator()(std::string_view name,
                             std::string& value,
                             std::string_view /*help*/,
                             Range /*range*/) {
  if (const auto* given = take(name)) {
    value = given->text;
  }
}

void FieldReader::operator()(std::string_view name,
                             std::vector<std::string>& value,
                             std::string_view /*help*/,
                             Range /*range*/) {
  if (const auto* given = take(name)) {
    value.clear();
    const char separator = given->origin == "--set" ? ',' : '\n';
    for (const std::string& piece : split(given->text, separator)) {
      if (!trim(piece).empty()) {
        value.emplace_back(trim(piece));
      }
    }
  }
}

void FieldReader::operator()(std::string_view name,
                             std::map<std::string, std::string>& value,
                             std::string_view /*help*/,
                             Range /*range*/) {
  const std::string prefix = prefix_ + std::string(name) + ".";
  open_.push_back(prefix);
  for (const auto& [key, given] : values_.values()) {
    std::string_view rest = key;
    if (consume_prefix(rest, prefix)) {
      value[std::string(rest)] = given.text;
    }
  }
}

void FieldReader::fail_choice(const ConfigValues::Value& given,
                              const std::vector<std::string>& known) const {
  throw Error(ErrorKind::kConfig,
              fmt::format("{}: {} = {}, expected one of {}",
                          given.origin,
                          known_.back(),
                          given.text,
                          join(known, ", ")),
              fmt::format("the nearest is '{}'", nearest(given.text, known)));
}

void FieldReader::reject_unknown() const {
  for (const auto& [key, given] : values_.values()) {
    const bool known =
        std::find(known_.begin(), known_.end(), key) != known_.end() ||
        std::any_of(open_.begin(), open_.end(), [&](const auto& p) { return key.starts_with(p); });
    if (!known) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: unknown key '{}'", given.origin, key),
                  fmt::format("the nearest known key is '{}'", nearest(key, known_)));
    }
  }
}

FieldWriter::FieldWriter(std::string section) : section_(std::move(section)) {}

void FieldWriter::line(std::string_view name,
                       const std::string& value,
                       std::string_view help,
                       Range range) {
  const bool bounded = !(std::isinf(range.low) && std::isinf(range.high));
  lines_ += fmt::format(
      "{} = {}  # {}{}\n", name, value, help, bounded ? ", " + describe(range) : std::string());
}

void FieldWriter::operator()(std::string_view name,
                             const double& value,
                             std::string_view help,
                             Range range) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".einf") == std::string::npos) {
    text += ".0";
  }
  line(name, text, help, range);
}

void FieldWriter::operator()(std::string_view name,
                             const std::size_t& value,
                             std::string_view help,
                             Range range) {
  line(name, fmt::format("{}", value), help, range);
}

void FieldWriter::operator()(std::string_view name,
                             const bool& value,
                             std::string_view help,
                             Range range) {
  line(name, value ? "true" : "false", help, range);
}

void FieldWriter::operator()(std::string_view name,
                             const std::string& value,
                             std::string_view help,
                             Range range) {
  line(name, quoted(value), help, range);
}

void FieldWriter::operator()(std::string_view name,
                             const std::vector<std::string>& value,
                             std::string_view help,
                             Range range) {
  std::vector<std::string> items;
  for (const std::string& item : value) {
    items.push_back(quoted(item));
  }
  line(name, "[" + join(items, ", ") + "]", help, range);
}

void FieldWriter::operator()(std::string_view name,
                             const std::map<std::string, std::string>& value,
                             std::string_view help,
                             Range /*range*/) {
  if (value.empty()) {
    return;
  }
  FieldWriter inner(section_.empty() ? std::string(name) : section_ + "." + std::string(name));
  for (const auto& [key, text] : value) {
    inner(key, text, help);
  }
  sections_ += inner.text();
}

std::string FieldWriter::text() const {
  const std::string header =
      section_.empty() || lines_.empty() ? "" : fmt::format("\n[{}]\n", section_);
  return header + lines_ + sections_;
}

}  // namespace dreamgym
