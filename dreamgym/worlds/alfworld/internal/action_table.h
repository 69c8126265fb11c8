// The actions of ALFWorld's PDDL domain, and the commands for them.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

struct ActionRow {
  std::string_view name;  ///< in the domain, lower-cased
  ActionKind kind;
  std::string_view command;        ///< with the domain's parameter names
  std::string_view other_command;  ///< in the older dialects; "" if it is the same
};

inline constexpr ActionRow kActionTable[] = {
    {"cleanobject", ActionKind::kClean, "clean {o} with {r}", ""},
    {"closeobject", ActionKind::kClose, "close {r}", ""},
    {"coolobject", ActionKind::kCool, "cool {o} with {r}", ""},
    {"examineobject", ActionKind::kExamineObject, "examine {o}", ""},
    {"examinereceptacle", ActionKind::kExamineReceptacle, "examine {r}", ""},
    {"gotolocation", ActionKind::kGo, "go to {r}", ""},
    {"heatobject", ActionKind::kHeat, "heat {o} with {r}", ""},
    {"help", ActionKind::kHelp, "help", ""},
    {"inventory", ActionKind::kInventory, "inventory", ""},
    {"look", ActionKind::kLook, "look", ""},
    {"openobject", ActionKind::kOpen, "open {r}", ""},
    {"putobject", ActionKind::kPut, "move {o} to {r}", "put {o} in/on {r}"},
    {"sliceobject", ActionKind::kSlice, "slice {co} with {ko}", ""},
    {"pickupobject", ActionKind::kTake, "take {o} from {r}", ""},
    {"toggleobject", ActionKind::kUse, "use {o}", ""},
};

/// @throws Error kUnsupported naming `source` for an action this program does not know.
const ActionRow& action_row(std::string_view name, const std::string& source);

}  // namespace dreamgym::alfworld
