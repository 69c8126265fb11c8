// Errors: one kind enum, one class for a world that failed, one for a bug of ours.
//
// A message says what went wrong, where, what was expected and what to do.
// Thread safety: values.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dreamgym {

enum class ErrorKind {
  kInvalidArgument,  ///< a value outside its allowed range
  kConfig,           ///< a configuration file or flag that can't be used
  kParse,            ///< a file or text that is not what its format says
  kIo,               ///< the file system or a socket failed
  kCorrupt,          ///< stored data whose checksum or version does not fit
  kNotFound,         ///< something named does not exist
  kUnsupported,      ///< a known thing this program does not handle
  kBusy,             ///< another process holds it
  kDiverged,         ///< a computation left its valid range
};

/// Short lower-case name of a kind, e.g. "corrupt".
std::string_view error_kind_name(ErrorKind kind);

/// A failure of the world around us: file, configuration, snapshot, resource.
class Error : public std::runtime_error {
 public:
  /// @param message  what happened, where, got, expected.
  /// @param hint     what the user can do about it; may be empty.
  Error(ErrorKind kind, const std::string& message, const std::string& hint = "");

  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// A bug in dreamgym itself: a condition that must hold did not.
class LogicError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// What check() does when its condition is false.
[[noreturn]] void throw_logic_error(std::string_view what_must_hold, std::source_location where);

/// Throws LogicError naming file and line when the condition is false. Always on.
inline void check(bool condition,
                  std::string_view what_must_hold,
                  std::source_location where = std::source_location::current()) {
  if (!condition) {
    throw_logic_error(what_must_hold, where);
  }
}

}  // namespace dreamgym
