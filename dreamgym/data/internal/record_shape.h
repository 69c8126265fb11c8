// Which log format a record looks like, for the hint of a record that is not of the format it was read as.
//
// Pure function. Thread safety: reentrant.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym::internal {

/// @param text    a record that was refused.
/// @param wanted  name of the format it was read as, e.g. "canonical".
/// @return        what to do where the record looks like another format; else "".
std::string other_format_hint(std::string_view text, std::string_view wanted);

}  // namespace dreamgym::internal
