// Text as characters of a page, never as its markup. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym::report_internal {

std::string escape_html(std::string_view text);

}  // namespace dreamgym::report_internal
