// Python's str.strip(), which the reference engine applies to commands.
#pragma once

#include <string_view>

namespace dreamgym::alfworld {

/// Without Unicode white space at both ends.
std::string_view strip(std::string_view text);

}  // namespace dreamgym::alfworld
