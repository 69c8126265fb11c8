// Binds configuration structs to TOML: defaults < file < --set section.key=value.
//
// An unknown key, a value of another type or out of range is an Error kConfig that names the key, the
// range and, for unknown keys, the nearest known one.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/config/fields.h"

namespace dreamgym {

/// A configuration file as flat "section.key" -> value text, with where each came from.
class ConfigValues {
 public:
  /// @throws Error kConfig with path and line for text that is no TOML, kNotFound if there is no file.
  static ConfigValues from_file(const std::string& path);
  static ConfigValues from_text(std::string_view text, const std::string& origin);

  /// Applies "section.key=value". @throws Error kConfig if it has no '='.
  void set(std::string_view assignment);

  struct Value {
    std::string text;    ///< numbers and booleans as written, strings without quotes
    std::string origin;  ///< "file:line" or "--set"
    mutable bool used = false;
  };
  [[nodiscard]] const Value* find(const std::string& key) const;
  [[nodiscard]] const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

/// Reads fields out of ConfigValues. Use through bind().
class FieldReader {
 public:
  explicit FieldReader(const ConfigValues& values, std::string prefix = "");

  void operator()(std::string_view name, double& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, std::size_t& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, bool& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, std::string& value, std::string_view help, Range range = {});
  /// Comma-separated in --set, an array of strings in a file.
  void operator()(std::string_view name,
                  std::vector<std::string>& value,
                  std::string_view help,
                  Range range = {});
  /// Any key below it: settings that only a world understands.
  void operator()(std::string_view name,
                  std::map<std::string, std::string>& value,
                  std::string_view help,
                  Range range = {});

  /// One of a few named values.
  template <class Enum, std::size_t N>
  void choice(std::string_view name,
              Enum& value,
              const Named<Enum> (&names)[N],
              std::string_view /*help*/) {
    if (const auto* given = take(name)) {
      std::vector<std::string> known;
      for (const Named<Enum>& one : names) {
        known.emplace_back(one.name);
        if (given->text == one.name) {
          value = one.value;
          return;
        }
      }
      fail_choice(*given, known);
    }
  }

  template <class Section>
  void section(std::string_view name, Section& value) {
    FieldReader inner(values_, prefix_ + std::string(name) + ".");
    visit_fields(value, inner);
    known_.insert(known_.end(), inner.known_.begin(), inner.known_.end());
    open_.insert(open_.end(), inner.open_.begin(), inner.open_.end());
  }

  /// @throws Error kConfig naming the first key nobody asked for and the nearest known one.
  void reject_unknown() const;

 private:
  const ConfigValues::Value* take(std::string_view name);
  [[noreturn]] void fail_choice(const ConfigValues::Value& given,
                                const std::vector<std::string>& known) const;

  const ConfigValues& values_;
  std::string prefix_;
  std::vector<std::string> known_;
  std::vector<std::string> open_;  // prefixes below which any key goes
};

/// Writes fields as TOML with their help as comments (the resolved copy in a run folder, --help-config).
class FieldWriter {
 public:
  explicit FieldWriter(std::string section = "");
  void operator()(std::string_view name, const double& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, const std::size_t& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, const bool& value, std::string_view help, Range range = {});
  void operator()(std::string_view name, const std::string& value, std::string_view help, Range range = {});
  void operator()(std::string_view name,
                  const std::vector<std::string>& value,
                  std::string_view help,
                  Range range = {});
  void operator()(std::string_view name,
                  const std::map<std::string, std::string>& value,
                  std::string_view help,
                  Range range = {});

  template <class Enum, std::size_t N>
  void choice(std::string_view name,
              const Enum& value,
              const Named<Enum> (&names)[N],
              std::string_view help) {
    std::string list;
    std::string chosen;
    for (const Named<Enum>& one : names) {
      list += (list.empty() ? "" : ", ") + std::string(one.name);
      chosen = one.value == value ? one.name : chosen;
    }
    (*this)(name, chosen, std::string(help) + ": " + list);
  }

  template <class Section>
  void section(std::string_view name, Section& value) {
    FieldWriter inner(section_.empty() ? std::string(name) : section_ + "." + std::string(name));
    visit_fields(value, inner);
    sections_ += inner.text();
  }
  [[nodiscard]] std::string text() const;

 private:
  void line(std::string_view name, const std::string& value, std::string_view help, Range range);

  std::string section_;
  std::string lines_;
  std::string sections_;
};

template <class Config>
void bind(Config& config, const ConfigValues& values) {
  FieldReader reader(values);
  visit_fields(config, reader);
  reader.reject_unknown();
}

template <class Config>
std::string to_toml(Config config) {
  FieldWriter writer;
  visit_fields(config, writer);
  return writer.text();
}

}  // namespace dreamgym
