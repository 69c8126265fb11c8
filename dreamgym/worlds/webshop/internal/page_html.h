// The page as the original's templates print it.
#pragma once

#include <string>

#include "dreamgym/worlds/webshop/page.h"

namespace dreamgym::webshop {

std::string page_html(const Shop& shop, const SessionState& state);

}  // namespace dreamgym::webshop
