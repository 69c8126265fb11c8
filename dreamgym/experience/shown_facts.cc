#include "dreamgym/experience/shown_facts.h"

#include <algorithm>
#include <iterator>

#include "dreamgym/data/entities.h"

namespace dreamgym {
namespace {

using Things = std::set<std::string>;

Things as_set(const std::vector<std::string>& things) { return {things.begin(), things.end()}; }

bool is_shown(const ReasoningTrace& trace, std::string_view effect) {
  return trace.find("effect") == effect;
}

}  // namespace

void ShownFacts::observe(const ReasoningTrace& trace,
                         std::string_view action,
                         std::string_view observation) {
  const std::string at = trace.find("at").value_or("");
  held_ = as_set(entities_of(trace.find("hold").value_or("")));
  if (const auto here = trace.find("here")) {
    contents_[at] = as_set(entities_of(*here));
  } else if (is_shown(trace, effects::kNew) || is_shown(trace, effects::kAgain)) {
    contents_[at] = as_set(entities_beside(observation, at, action));
  } else if (is_shown(trace, effects::kMoved)) {
    contents_.erase(at);
  }
}

bool ShownFacts::contradicts(const ReasoningTrace& trace, std::string_view action) const {
  const Things of_action = as_set(entities_of(action));
  const Things held = as_set(entities_of(trace.find("hold").value_or("")));
  const bool appears_in_hand = std::any_of(held.begin(), held.end(), [&](const std::string& thing) {
    return !of_action.contains(thing) && !(held_ && held_->contains(thing));
  });
  if (appears_in_hand) {
    return true;
  }
  const auto here = trace.find("here");
  if (!here) {
    return false;
  }
  const std::vector<std::string> listed = entities_of(*here);
  const Things now = as_set(listed);
  const auto before = contents_.find(trace.find("at").value_or(""));
  std::vector<std::string> changed;
  if (before != contents_.end()) {
    std::set_symmetric_difference(now.begin(),
                                  now.end(),
                                  before->second.begin(),
                                  before->second.end(),
                                  std::back_inserter(changed));
  }
  return now.size() != listed.size() ||
         std::any_of(changed.begin(), changed.end(), [&](const std::string& thing) {
           return !of_action.contains(thing);
         });
}

bool ShownFacts::contradicts(const ReasoningTrace& trace,
                             std::string_view action,
                             std::string_view observation) const {
  const std::string at = trace.find("at").value_or("");
  const std::vector<std::string> listed = entities_beside(observation, at, action);
  const Things now = as_set(listed);
  if (is_shown(trace, effects::kAgain)) {
    const auto known = contents_.find(at);
    return known != contents_.end() && (now != known->second || now.size() != listed.size());
  }
  return is_shown(trace, effects::kNew) &&
         (now.size() != listed.size() ||
          std::any_of(now.begin(), now.end(), [&](const std::string& thing) {
            return is_elsewhere(thing, at);
          }));
}

bool ShownFacts::is_elsewhere(const std::string& thing, std::string_view at) const {
  return (held_ && held_->contains(thing)) ||
         std::any_of(contents_.begin(), contents_.end(), [&](const auto& place) {
           return place.first != at && place.second.contains(thing);
         });
}

}  // namespace dreamgym
