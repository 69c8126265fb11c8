// What an action says when it fails.
#pragma once

#include <string>

#include "dreamgym/base/error.h"

namespace dreamgym {

/// Message of the Error the action throws; "" if it throws none.
template <class Action>
std::string message_of(const Action& action) {
  try {
    (void)action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace dreamgym
