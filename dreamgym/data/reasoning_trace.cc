#include "dreamgym/data/reasoning_trace.h"

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

namespace {

/// Lower-case words, digits and '_' or '-' inside; words are parted by single blanks.
bool is_key(std::string_view key) {
  if (key.empty() || key.front() == ' ' || key.back() == ' ' || contains(key, "  ")) {
    return false;
  }
  return std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ' ';
  });
}

}  // namespace

std::optional<std::string> ReasoningTrace::find(std::string_view key) const {
  for (const auto& [name, value] : fields) {
    if (name == key) {
      return value;
    }
  }
  return std::nullopt;
}

ReasoningTrace ReasoningTrace::before(std::string_view key) const {
  const auto end = std::ranges::find(fields, key, [](const auto& field) { return std::string_view(field.first); });
  return {{fields.begin(), end}};
}

void ReasoningTrace::add(std::string key, std::string value) {
  check(is_key(key), "a reasoning trace's key is lower-case words");
  std::ranges::replace(value, ';', ',');
  std::ranges::replace(value, '\n', ' ');
  std::ranges::replace(value, '\r', ' ');
  fields.emplace_back(std::move(key), std::string(trim(value)));
}

std::string names_or_nothing(const std::vector<std::string>& names) {
  return names.empty() ? std::string(kNothing) : join(names, ", ");
}

std::string to_text(const ReasoningTrace& trace) {
  std::string text;
  for (const auto& [key, value] : trace.fields) {
    text += text.empty() ? "" : "; ";
    text += key;
    text += value.empty() ? ":" : ": ";
    text += value;
  }
  return text;
}

std::optional<ReasoningTrace> parse_reasoning_trace(std::string_view text) {
  if (text.find_first_of("\n\r") != std::string_view::npos) {
    return std::nullopt;
  }
  ReasoningTrace trace;
  for (const std::string& field : split(text, ';')) {
    const std::size_t colon = field.find(':');
    if (colon == std::string::npos) {
      return std::nullopt;
    }
    const std::string_view key = trim(std::string_view(field).substr(0, colon));
    if (!is_key(key)) {
      return std::nullopt;
    }
    trace.fields.emplace_back(key, trim(std::string_view(field).substr(colon + 1)));
  }
  if (trace.fields.front().first != "effect" || trace.fields.front().second.empty()) {
    return std::nullopt;
  }
  return trace;
}

bool wanted_is_reached(const ReasoningTrace& trace) {
  const auto want = trace.find("want");
  const auto got = trace.find("got");
  return want && got && !want->empty() && *want == *got;
}

}  // namespace dreamgym
