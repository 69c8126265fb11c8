#include "dreamgym/experience/shown_facts.h"

#include <algorithm>

#include "dreamgym/experience/recollection.h"

namespace dreamgym {
namespace {

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the observation names beside the place and the action's own things, in its order.
std::vector<std::string> things_shown(std::string_view at,
                                      std::string_view action,
                                      std::string_view observation) {
  const std::vector<std::string> of_action = entities_of(action);
  std::vector<std::string> things = entities_of(observation);
  std::erase_if(things, [&](const std::string& thing) {
    return thing == at || is_listed(of_action, thing);
  });
  return things;
}

}  // namespace

void ShownFacts::observe(const ReasoningTrace& trace,
                         std::string_view action,
                         std::string_view observation) {
  const std::string at = trace.find("at").value_or("");
  const auto effect = trace.find("effect");
  held_ = entities_of(trace.find("hold").value_or(""));
  if (const auto here = trace.find("here")) {
    const auto things = entities_of(*here);
    contents_[at] = {things.begin(), things.end()};
  } else if (effect == effects::kNew || effect == effects::kAgain) {
    const auto things = things_shown(at, action, observation);
    contents_[at] = {things.begin(), things.end()};
  }
}

std::string ShownFacts::contradiction(const ReasoningTrace& trace,
                                      std::string_view action,
                                      std::string_view observation) const {
  const std::string at = trace.find("at").value_or("");
  std::vector<std::string> seen;
  for (const std::string& thing : things_shown(at, action, observation)) {
    const bool elsewhere =
        std::any_of(contents_.begin(), contents_.end(), [&](const auto& place) {
          return place.first != at && place.second.contains(thing);
        });
    if (elsewhere || is_listed(seen, thing) || is_listed(held_, thing)) {
      return thing;
    }
    seen.push_back(thing);
  }
  return "";
}

}  // namespace dreamgym
