// "--name=N" of a benchmark's own command line.
#pragma once

#include <cstddef>
#include <string_view>

#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

/// Sets `value` if the argument begins with `name` ("--rounds=") and goes on with a number.
inline void take_number(std::string_view argument, std::string_view name, std::size_t& value) {
  if (consume_prefix(argument, name)) {
    value = parse_unsigned(argument).value_or(value);
  }
}

}  // namespace dreamgym
