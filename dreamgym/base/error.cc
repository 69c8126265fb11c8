#include "dreamgym/base/error.h"

#include <fmt/format.h>

namespace dreamgym {

std::string_view error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return "invalid argument";
    case ErrorKind::kConfig:
      return "configuration";
    case ErrorKind::kParse:
      return "parse";
    case ErrorKind::kIo:
      return "input/output";
    case ErrorKind::kCorrupt:
      return "corrupt data";
    case ErrorKind::kNotFound:
      return "not found";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kBusy:
      return "busy";
    case ErrorKind::kDiverged:
      return "diverged";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, const std::string& message, const std::string& hint)
    : std::runtime_error(hint.empty() ? message : message + "\n  hint: " + hint), kind_(kind) {}

void throw_logic_error(std::string_view what_must_hold, std::source_location where) {
  throw LogicError(
      fmt::format("{}:{}: {} does not hold", where.file_name(), where.line(), what_must_hold));
}

}  // namespace dreamgym
