// The fields of a trace, for whoever knows the facts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/alfworld/task_goal.h"

namespace dreamgym::alfworld {

struct TraceFacts {
  std::string effect;
  std::string at;                       ///< "" = the start
  std::string held;                     ///< name, "" = nothing
  std::vector<std::string> conditions;  ///< of the held object
  /// What is at the place after something was taken from it or put there; none = not stated.
  std::optional<std::vector<std::string>> here;
  std::vector<std::string> shown{};  ///< names that the reply lists
};

/// What an attempt reached.
struct Attempt {
  bool is_attempt = false;
  bool under_lamp = false;     ///< the place is a lamp
  std::string object;          ///< kind; "" = nothing
  std::string place;           ///< kind of receptacle or lamp
  bool has_condition = false;  ///< the one the goal wants
  std::size_t count = 0;       ///< objects of the kind at the place (two-object tasks)
};

/// @param reached  the step reached the goal: want and got are then equal, else they never are.
ReasoningTrace write_trace(const TraceFacts& facts,
                           const Goal& goal,
                           const Attempt& attempt,
                           bool reached);

}  // namespace dreamgym::alfworld
