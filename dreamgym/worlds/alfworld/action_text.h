// An action as its words say, whether or not it is possible.
//
// Thread safety: values and pure functions.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym::alfworld {

enum class ActionVerb {
  kGo,
  kOpen,
  kClose,
  kExamine,
  kTake,
  kPut,
  kTreat,
  kUse,
  kSlice,
  kLook,
  kInventory,
  kHelp,
  kUnknown
};

struct ActionText {
  ActionVerb verb = ActionVerb::kUnknown;
  std::string word;    ///< the verb as written, e.g. "heat"
  std::string object;  ///< kTake, kPut, kTreat, kUse, kSlice
  std::string place;   ///< kGo, kOpen, kClose, kExamine (or the object), kTake, kPut, kTreat
};

/// Understands "move x to y" and "put x in/on y".
ActionText read_action(std::string_view action);

}  // namespace dreamgym::alfworld
