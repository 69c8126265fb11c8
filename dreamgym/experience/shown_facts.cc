#include "dreamgym/experience/shown_facts.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "dreamgym/data/entities.h"

namespace dreamgym {
namespace {

using Things = std::vector<std::string>;

bool is_listed(const Things& things, std::string_view thing) {
  return std::ranges::find(things, thing) != things.end();
}

Things things_in(const ReasoningTrace& trace, std::string_view field) {
  return entities_of(trace.find(field).value_or(""));
}

bool has_effect(const ReasoningTrace& trace, std::string_view effect) {
  return trace.find("effect") == effect;
}

bool shows(const ReasoningTrace& trace) {
  return has_effect(trace, effects::kNew) || has_effect(trace, effects::kAgain);
}

bool changes(const ReasoningTrace& trace) {
  return has_effect(trace, effects::kMoved) || has_effect(trace, effects::kDone);
}

bool shares_a_thing(std::string_view action, const Things& things) {
  const Things named = entities_of(action);
  return std::ranges::any_of(named, [&](const std::string& thing) { return is_listed(things, thing); });
}

int number_of(std::string_view thing) {
  const std::string_view digits = thing.substr(thing.find(' ') + 1);
  int number = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool is_thing(std::string_view text) {
  const std::vector<EntitySpan> spans = entity_spans(text);
  return spans.size() == 1 && spans.front().length == text.size();
}

Things without(Things things, const Things& others) {
  std::erase_if(things, [&](const std::string& thing) { return is_listed(others, thing); });
  return things;
}

// A change that names as many things as its action names the same ones, or the place.
std::optional<NamingFault> fault_in_change(std::string_view at,
                                           std::string_view action,
                                           std::string_view observation) {
  const Things of_action = entities_of(action);
  const std::vector<EntitySpan> spans = entity_spans(observation);
  if (of_action.size() < 2 || spans.size() != of_action.size()) {
    return std::nullopt;
  }
  for (const EntitySpan& span : spans) {
    const std::string_view thing = observation.substr(span.begin, span.length);
    if (thing != at && !is_listed(of_action, thing)) {
      Things instead = without(of_action, entities_of(observation));
      instead = instead.empty() ? of_action : std::move(instead);
      return NamingFault{
          .begin = span.begin, .end = span.begin + span.length, .instead = std::move(instead)};
    }
  }
  return std::nullopt;
}

}  // namespace

void ShownFacts::observe(const ReasoningTrace& trace,
                         std::string_view action,
                         std::string_view observation) {
  const std::string at = trace.find("at").value_or("");
  const Things of_action = entities_of(action);
  held_ = things_in(trace, "hold");
  Things taken = *held_;
  std::erase_if(taken, [&](const std::string& thing) { return !is_listed(of_action, thing); });
  take_away(taken, "");
  remember_reply(trace, action, observation);
  if (trace.find("here")) {
    contents_[at] = things_in(trace, "here");
    Things put = contents_[at];
    std::erase_if(put, [&](const std::string& thing) { return !is_listed(of_action, thing); });
    take_away(put, at);
  } else if (shows(trace) && is_thing(at)) {
    contents_[at] = entities_beside(observation, at, action);
  } else if (has_effect(trace, effects::kMoved)) {
    contents_.erase(at);
  }
  if (shows(trace) || trace.find("here")) {
    seen_.insert(at);
  }
  at_ = at;
}

void ShownFacts::take_away(const Things& things, std::string_view except) {
  for (auto& [place, contents] : contents_) {
    if (place != except) {
      contents = without(std::move(contents), things);
    }
  }
}

void ShownFacts::remember_reply(const ReasoningTrace& trace,
                                std::string_view action,
                                std::string_view observation) {
  if (has_effect(trace, effects::kInvalid)) {
    return;  // nothing has changed
  }
  const std::string at = trace.find("at").value_or("");
  const bool is_closed = has_effect(trace, effects::kClosed);
  const bool looks = is_closed || shows(trace);
  Things touched = entities_of(action);
  touched.push_back(at);
  std::erase_if(replies_, [&](const auto& reply) {
    return !(looks && reply.first == action) && shares_a_thing(reply.first, touched);
  });
  if (looks && is_listed(entities_of(action), at)) {
    replies_[std::string(action)] = {is_closed, at_ == at, at, std::string(observation)};
  }
}

bool ShownFacts::contradicts(const ReasoningTrace& trace, std::string_view action) const {
  const std::string at = trace.find("at").value_or("");
  const Things of_action = entities_of(action);
  const Things held = things_in(trace, "hold");
  const bool appears_in_hand = std::ranges::any_of(held, [&](const std::string& thing) {
    return !is_listed(of_action, thing) && !(held_ && is_listed(*held_, thing));
  });
  const bool unseen_again =
      has_effect(trace, effects::kAgain) && is_listed(of_action, at) && !seen_.contains(at);
  if (appears_in_hand || unseen_again || left_without_leave(trace, action)) {
    return true;
  }
  if (!trace.find("here")) {
    return false;
  }
  const Things listed = things_in(trace, "here");
  const std::set<std::string> now(listed.begin(), listed.end());
  if (const auto after = contents_after(trace, action)) {
    return now.size() != listed.size() || now != std::set<std::string>(after->begin(), after->end());
  }
  std::vector<std::string> changed;
  if (const auto known = contents_.find(at); known != contents_.end()) {
    const std::set<std::string> before(known->second.begin(), known->second.end());
    std::ranges::set_symmetric_difference(now, before, std::back_inserter(changed));
  }
  return now.size() != listed.size() || !without(changed, of_action).empty();
}

std::optional<std::string> ShownFacts::left_without_leave(const ReasoningTrace& trace,
                                                         std::string_view action) const {
  const std::string at = trace.find("at").value_or("");
  const Things of_action = entities_of(action);
  const bool left = has_effect(trace, effects::kMoved) && at != at_ && is_listed(of_action, at_) &&
                    !is_listed(of_action, at);
  return left ? std::optional(at_) : std::nullopt;
}

std::optional<Things> ShownFacts::contents_after(const ReasoningTrace& trace, std::string_view action) const {
  const std::string at = trace.find("at").value_or("");
  const auto known = contents_.find(at);
  const Things of_action = entities_of(action);
  if (!has_effect(trace, effects::kMoved) || !is_listed(of_action, at) || known == contents_.end() || !held_) {
    return std::nullopt;
  }
  const Things held = things_in(trace, "hold");
  Things moved = without(of_action, {at});
  std::erase_if(moved, [&](const std::string& thing) { return is_listed(held, thing) == is_listed(*held_, thing); });
  if (moved.size() != 1) {
    return std::nullopt;
  }
  Things after = without(known->second, moved);
  if (!is_listed(held, moved.front())) {
    after.push_back(moved.front());
  }
  return after;
}

bool ShownFacts::contradicts(const ReasoningTrace& trace,
                             std::string_view action,
                             std::string_view observation) const {
  const auto known = known_text(trace, action);
  return known ? *known != observation : fault_in(trace, action, observation).has_value();
}

std::optional<std::string> ShownFacts::known_text(const ReasoningTrace& trace, std::string_view action) const {
  const bool is_closed = has_effect(trace, effects::kClosed);
  const auto reply = replies_.find(action);
  if (reply == replies_.end() || (!is_closed && !has_effect(trace, effects::kAgain))) {
    return std::nullopt;
  }
  const std::string at = trace.find("at").value_or("");
  const Reply& before = reply->second;
  const bool same = before.at == at && before.is_closed == is_closed && before.was_there == (at_ == at) &&
                    !fault_in(trace, action, before.observation);
  return same ? std::optional(before.observation) : std::nullopt;
}

std::optional<NamingFault> ShownFacts::fault_in(const ReasoningTrace& trace,
                                                std::string_view action,
                                                std::string_view observation) const {
  const std::string at = trace.find("at").value_or("");
  if (!is_thing(at)) {
    return std::nullopt;
  }
  if (changes(trace)) {
    return fault_in_change(at, action, observation);
  }
  Things own = entities_of(action);
  const bool first_look = has_effect(trace, effects::kNew) && is_listed(own, at);
  const auto known = contents_.find(at);
  const bool second_look = has_effect(trace, effects::kAgain) && known != contents_.end();
  if (!first_look && !second_look) {
    return std::nullopt;
  }
  own.push_back(at);
  Things missing = second_look ? without(known->second, own) : Things();
  Things listed;
  NamingFault fault{.begin = observation.size(), .end = observation.size()};
  for (const EntitySpan& span : entity_spans(observation)) {
    std::string thing(observation.substr(span.begin, span.length));
    if (is_listed(own, thing)) {
      continue;
    }
    const bool is_wrong = first_look ? is_listed(listed, thing) || is_elsewhere(thing, at)
                                     : std::erase(missing, thing) == 0;
    if (is_wrong) {
      fault.begin = span.begin;
      fault.end = span.begin + span.length;
      fault.instead = first_look ? unused(thing.substr(0, span.word), at, listed) : std::move(missing);
      fault.kind = fault.instead.empty() ? NamingFault::Kind::kTooMany : NamingFault::Kind::kOther;
      return fault;
    }
    fault.first_end = listed.empty() ? span.begin + span.length : fault.first_end;
    fault.second_begin = listed.size() == 1 ? span.begin : fault.second_begin;
    fault.listed_end = span.begin + span.length;
    listed.push_back(std::move(thing));
  }
  if (missing.empty()) {
    return std::nullopt;
  }
  fault.kind = NamingFault::Kind::kTooFew;
  fault.instead = std::move(missing);
  return fault;
}

ShownFacts::Things ShownFacts::unused(std::string_view word, std::string_view at, const Things& listed) const {
  int highest = 0;
  const auto note = [&](const Things& things) {
    for (const std::string& thing : things) {
      highest = thing.substr(0, thing.find(' ')) == word ? std::max(highest, number_of(thing)) : highest;
    }
  };
  note(listed);
  note(held_.value_or(Things()));
  for (const auto& [place, things] : contents_) {
    note(things);
  }
  Things free;
  for (int number = 1; number <= highest + 1; ++number) {
    std::string thing = std::string(word) + " " + std::to_string(number);
    if (!is_listed(listed, thing) && !is_elsewhere(thing, at)) {
      free.push_back(std::move(thing));
    }
  }
  return free;
}

bool ShownFacts::is_elsewhere(const std::string& thing, std::string_view at) const {
  return (held_ && is_listed(*held_, thing)) || std::ranges::any_of(contents_, [&](const auto& place) {
           return place.first != at && is_listed(place.second, thing);
         });
}

}  // namespace dreamgym
