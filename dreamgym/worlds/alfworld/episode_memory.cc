#include "dreamgym/worlds/alfworld/episode_memory.h"

#include <algorithm>

#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {

void EpisodeMemory::reset(std::string_view observation) {
  *this = EpisodeMemory();
  const Reply room = read_reply(observation);
  if (room.kind == ReplyKind::kRoom) {
    places_ = room.contents;
  }
  // The 2020 texts have no articles: "you see bed 1, desk 2, ...".
  says_put_ = contains(observation, "you see ") && !contains(observation, "you see a ") &&
              !contains(observation, "you see nothing");
}

const PlaceMemory& EpisodeMemory::place(std::string_view name) const {
  static const PlaceMemory kUnknown;
  const auto found = memory_.find(name);
  return found == memory_.end() ? kUnknown : found->second;
}

std::vector<std::string> EpisodeMemory::conditions(std::string_view object) const {
  std::vector<std::string> words;
  for (const char* word : {"clean", "hot", "cool"}) {
    if (has_condition(object, word)) {
      words.emplace_back(word);
    }
  }
  return words;
}

bool EpisodeMemory::has_condition(std::string_view object, std::string_view word) const {
  const auto found = conditions_.find(object);
  return found != conditions_.end() && found->second.contains(std::string(word));
}

std::string EpisodeMemory::place_of(std::string_view object) const {
  for (const auto& [name, place] : memory_) {
    if (std::ranges::find(place.contents, object) != place.contents.end()) {
      return name;
    }
  }
  return "";
}

std::vector<std::string> EpisodeMemory::at_hand() const {
  std::vector<std::string> places;
  for (const std::string& place : places_) {
    if (is_at_hand(place)) {
      places.push_back(place);
    }
  }
  if (!at_.empty() && std::ranges::find(places, at_) == places.end()) {
    places.push_back(at_);
  }
  return places;
}

bool EpisodeMemory::is_at_hand(const std::string& place) const {
  const auto beside = beside_.find(at_);
  return place == at_ || (beside != beside_.end() && beside->second.contains(place));
}

std::optional<std::vector<std::string>> EpisodeMemory::changed_here(const Reply& reply) const {
  const bool changed = reply.kind == ReplyKind::kTook || reply.kind == ReplyKind::kPut;
  if (!changed || reply.place != at_ || !place(reply.place).seen) {
    return std::nullopt;
  }
  return place(reply.place).contents;
}

void EpisodeMemory::observe(std::string_view action, std::string_view observation) {
  detect_dialect(action, observation);
  const ActionText act = read_action(action);
  const Reply reply = read_reply(observation);
  if (reply.kind == ReplyKind::kRefused) {
    refused_.insert(std::string(trim(action)));
    const bool in_room = std::ranges::find(places_, act.place) != places_.end();
    if (act.verb == ActionVerb::kGo && in_room && !at_.empty() && act.place != at_) {
      beside_[at_].insert(act.place);
      beside_[act.place].insert(at_);
    }
    return;
  }
  if (act.verb == ActionVerb::kGo) {
    at_ = act.place;
  }
  change(act, reply);
}

void EpisodeMemory::change(const ActionText& action, const Reply& reply) {
  switch (reply.kind) {
    case ReplyKind::kShows: {
      PlaceMemory& place = remember(reply.place);
      place.seen = true;
      place.door = place.door || reply.door;
      place.closed = false;
      place.contents = reply.contents;
      break;
    }
    case ReplyKind::kIsClosed:
    case ReplyKind::kClosed:
      remember(reply.place).door = true;
      remember(reply.place).closed = true;
      break;
    case ReplyKind::kTook:
      std::erase(remember(reply.place).contents, reply.object);
      held_ = reply.object;
      break;
    case ReplyKind::kPut:
      std::erase(remember(reply.place).contents, reply.object);
      remember(reply.place).contents.push_back(reply.object);
      held_.clear();
      break;
    case ReplyKind::kTreated:
      treat(reply.object, reply.word);
      break;
    case ReplyKind::kUsed:
      used_.insert(reply.object);
      break;
    case ReplyKind::kCarries:
      held_ = reply.object;
      break;
    default:
      return;
  }
  if (action.verb != ActionVerb::kExamine && action.verb != ActionVerb::kInventory) {
    refused_.clear();
  }
}

void EpisodeMemory::treat(const std::string& object, std::string_view word) {
  auto& words = conditions_[object];
  if (word == "clean") {
    words.insert("clean");
  } else {
    words.erase(word == "heat" ? "cool" : "hot");
    words.insert(word == "heat" ? "hot" : "cool");
  }
}

/// Logs cut "You arrive at loc 24. " off, so an arrival without it is a sign of the older dialects.
void EpisodeMemory::detect_dialect(std::string_view action, std::string_view observation) {
  if (action.starts_with("put ") || observation.starts_with("You put ") ||
      observation.starts_with("You arrive at loc ") ||
      observation.starts_with("You arrive at the location")) {
    says_put_ = true;
  } else if (action.starts_with("move ") || observation.starts_with("You move ") ||
             observation.starts_with("You arrive at ")) {
    says_put_ = false;
  } else if (action.starts_with("go to ") && !observation.starts_with("Nothing happens")) {
    says_put_ = true;
  }
}

}  // namespace dreamgym::alfworld
