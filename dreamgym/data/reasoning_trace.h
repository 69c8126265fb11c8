// Reasoning traces as ordered "key: value" fields: "effect: new; at: desk 1; hold: hot mug 1".
//
// One grammar for every world, so that a small model learns it once and a reader sees what the
// model believed. Keys are lower-case words; values hold no ';'. The first field is always
// "effect". A step that changes what is at a place says what is there now ("here: fork 1, cup 2"). A step that shows
// contents for the first time may say which of the things the task asks for are among them ("find: mug"). A step that attempts the goal also says what was wanted and what was reached ("want",
// "got"); a dreamed success counts only if the two are equal (reference: the paper's trace R_t, Eq.
// 4). Thread safety: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dreamgym {

struct ReasoningTrace {
  std::vector<std::pair<std::string, std::string>> fields;

  /// Value of the first field of that key.
  [[nodiscard]] std::optional<std::string> find(std::string_view key) const;
  /// The fields before the first one of that key.
  [[nodiscard]] ReasoningTrace before(std::string_view key) const;
  /// Appends a field. In the value ';' becomes ',', line breaks become blanks, and blanks at its
  /// ends go, so that what is added can be read back.
  void add(std::string key, std::string value);
  bool operator==(const ReasoningTrace&) const = default;
};

/// Effects every world shares.
namespace effects {
inline constexpr std::string_view kNew = "new";        ///< shows contents nobody has seen yet
inline constexpr std::string_view kAgain = "again";    ///< shows contents seen before
inline constexpr std::string_view kClosed = "closed";  ///< the place is closed, nothing is shown
inline constexpr std::string_view kMoved = "moved";    ///< something changed place
inline constexpr std::string_view kDone = "done";      ///< something else was done
inline constexpr std::string_view kInvalid =
    "invalid";  ///< not possible: failure state, zero reward
}  // namespace effects

/// Key of the field that says what of the task a first look shows: kinds of things, or kNothing.
inline constexpr std::string_view kFindField = "find";
inline constexpr std::string_view kNothing = "nothing";

/// A field's value: the names, or kNothing if there are none.
std::string names_or_nothing(const std::vector<std::string>& names);

std::string to_text(const ReasoningTrace& trace);
/// Nothing if the text is not of the grammar (unknown shape, empty key, missing "effect").
std::optional<ReasoningTrace> parse_reasoning_trace(std::string_view text);
/// True if the trace states "want" and "got" and the two are the same text.
bool wanted_is_reached(const ReasoningTrace& trace);

}  // namespace dreamgym
