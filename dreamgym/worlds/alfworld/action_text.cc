#include "dreamgym/worlds/alfworld/action_text.h"

#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {
namespace {

struct Form {
  std::string_view before;
  std::string_view between;  ///< "" = the action names a place only, "-" = an object only
  ActionVerb verb;
};

constexpr Form kForms[] = {
    {"go to ", "", ActionVerb::kGo},
    {"open ", "", ActionVerb::kOpen},
    {"close ", "", ActionVerb::kClose},
    {"examine ", "", ActionVerb::kExamine},
    {"use ", "-", ActionVerb::kUse},
    {"take ", " from ", ActionVerb::kTake},
    {"move ", " to ", ActionVerb::kPut},
    {"put ", " in/on ", ActionVerb::kPut},
    {"clean ", " with ", ActionVerb::kTreat},
    {"heat ", " with ", ActionVerb::kTreat},
    {"cool ", " with ", ActionVerb::kTreat},
    {"slice ", " with ", ActionVerb::kSlice},
};

}  // namespace

ActionText read_action(std::string_view action) {
  action = trim(action);
  ActionText read;
  read.word = action.substr(0, action.find(' '));
  if (action == "look") {
    read.verb = ActionVerb::kLook;
  } else if (action == "inventory") {
    read.verb = ActionVerb::kInventory;
  } else if (action == "help") {
    read.verb = ActionVerb::kHelp;
  }
  for (const Form& form : kForms) {
    std::string_view rest = action;
    if (!consume_prefix(rest, form.before)) {
      continue;
    }
    if (form.between.empty()) {
      read.place = rest;
    } else if (form.between == "-") {
      read.object = rest;
    } else {
      const std::size_t cut = rest.find(form.between);
      if (cut == std::string_view::npos) {
        continue;
      }
      read.object = rest.substr(0, cut);
      read.place = rest.substr(cut + form.between.size());
    }
    read.verb = form.verb;
    return read;
  }
  return read;
}

}  // namespace dreamgym::alfworld
