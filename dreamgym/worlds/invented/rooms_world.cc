#include "dreamgym/worlds/invented/rooms_world.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym::invented {
namespace {

constexpr std::array<std::string_view, 8> kColours = {
    "red", "blue", "green", "black", "white", "yellow", "old", "small"};

/// "kind n", dense for each kind, the first of several with the highest number.
template <class Entity>
void number_densely(std::vector<Entity>& entities) {
  std::map<std::string, int> left;
  for (const Entity& entity : entities) {
    ++left[entity.kind];
  }
  for (Entity& entity : entities) {
    entity.name = entity.kind + " " + std::to_string(left[entity.kind]--);
  }
}

}  // namespace

RoomsWorld::RoomsWorld(NameDeal& names, Rng rng) : rng_(rng) {
  wording_ = draw_rooms_wording(rng_);
  naming_ = static_cast<Naming>(rng_.categorical(std::array{0.6, 0.2, 0.2}));
  treatments_ = draw_treatments(static_cast<std::size_t>(between(1, 2, rng_)), rng_);
  names_device_ = chance(0.3, rng_);
  make_places(names);
  make_items(names);
  pursued_ = goal_;
}

void RoomsWorld::make_places(NameDeal& names) {
  const int num_places = between(4, 12, rng_);
  const int num_kinds = std::max(3, num_places * 2 / 3);
  const std::vector<std::string> kinds = names.next(static_cast<std::size_t>(num_kinds));
  const bool is_numbered = naming_ == Naming::kNumbered;
  std::vector<bool> openable;
  for (int i = 0; i < num_kinds; ++i) {
    openable.push_back(chance(0.4, rng_));
  }
  for (int i = 0; i < num_places; ++i) {
    const int kind = i < num_kinds ? i : static_cast<int>(rng_.below(num_kinds));
    Place& place = places_.emplace_back();
    place.kind = is_numbered ? kinds[kind] : (i < num_kinds ? kinds[kind] : names.next());
    place.openable = openable[kind];
    place.is_open = !place.openable || chance(0.1, rng_);
  }
  if (is_numbered) {
    std::ranges::stable_sort(places_, {}, &Place::kind);
    number_densely(places_);
  } else {
    for (Place& place : places_) {
      place.name = place.kind;
    }
  }
  for (int t = 0; t < static_cast<int>(treatments_.size()); ++t) {
    places_[rng_.below(places_.size())].treatment = t;
  }
}

void RoomsWorld::make_items(NameDeal& names) {
  make_goal();
  const std::size_t num_kinds = static_cast<std::size_t>(between(3, 8, rng_));
  name_items(names, num_kinds);
  std::vector<int> order(items_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
  }
  rng_.shuffle(order);
  constexpr std::size_t kMostItems = 5;
  for (const int item : order) {
    Place* place = nullptr;
    do {
      place = &places_[rng_.below(places_.size())];
    } while (place->items.size() >= kMostItems);
    place->items.push_back(item);
  }
  // The goal must not hold at the start.
  for (Place& place : places_) {
    if (place.kind == goal_.place) {
      auto& elsewhere = *std::ranges::find_if(
          places_, [&](const Place& other) { return other.kind != goal_.place; });
      const auto moved = std::ranges::stable_partition(
          place.items, [&](int item) { return items_[item].kind != goal_.item; });
      elsewhere.items.insert(elsewhere.items.end(), moved.begin(), moved.end());
      place.items.erase(moved.begin(), moved.end());
    }
  }
}

void RoomsWorld::make_goal() {
  goal_.type = static_cast<TaskType>(rng_.categorical(std::array{0.3, 0.35, 0.2, 0.15}));
  if (goal_.type == TaskType::kTwo && naming_ != Naming::kNumbered) {
    goal_.type = TaskType::kPlace;
  }
  goal_.place = rng_.choose(places_).kind;
  if (goal_.type == TaskType::kTreat) {
    goal_.treatment = static_cast<int>(rng_.below(treatments_.size()));
    // A later treatment may have taken over the place of an earlier one.
    const bool exists = std::ranges::count(places_, goal_.treatment, &Place::treatment) > 0;
    if (!exists) {
      goal_.treatment = static_cast<int>(treatments_.size()) - 1;
    }
  }
}

void RoomsWorld::name_items(NameDeal& names, std::size_t num_kinds) {
  const std::vector<std::string> kinds = names.next(num_kinds);
  const std::size_t num_items = num_kinds + rng_.below(num_kinds + 2);
  std::vector<std::string_view> colours(kColours.begin(), kColours.end());
  for (std::size_t i = 0; i < num_items; ++i) {
    // The goal's kind is the first; "two" needs a second one of it.
    const bool is_second = i == num_kinds && goal_.type == TaskType::kTwo;
    const std::size_t kind = i < num_kinds ? i : (is_second ? 0 : rng_.below(num_kinds));
    items_.push_back({.name = "", .kind = kinds[kind]});
  }
  if (goal_.type == TaskType::kTwo && num_items == num_kinds) {
    items_.push_back({.name = "", .kind = kinds[0]});
  }
  if (naming_ == Naming::kNumbered) {
    number_densely(items_);
  } else {
    std::map<std::string, std::size_t> used;
    rng_.shuffle(colours);
    std::erase_if(items_, [&](const Item& item) {
      const std::size_t limit = naming_ == Naming::kPlain ? 1 : colours.size();
      return used[item.kind]++ >= limit;
    });
    used.clear();
    for (Item& item : items_) {
      const std::size_t index = used[item.kind]++;
      item.kind =
          naming_ == Naming::kPlain ? item.kind : std::string(colours[index]) + " " + item.kind;
      item.name = item.kind;
    }
  }
  goal_.item = items_.front().kind;
}

Opening RoomsWorld::open() const {
  static constexpr std::array<std::string_view, 4> kTypes = {"place", "treat", "two", "bring"};
  std::vector<std::string> names;
  names.reserve(places_.size());
  for (const Place& place : places_) {
    names.push_back(place.name);
  }
  Opening opening;
  opening.kind = "rooms/" + std::string(kTypes[static_cast<std::size_t>(goal_.type)]);
  opening.instruction = instruction();
  opening.text = fill(wording_.opening, {{'l', list_text(names, wording_.list)}});
  for (const Place& place : places_) {
    if (place.treatment >= 0 && !names_device_) {
      const Treatment& treatment = treatments_[place.treatment];
      opening.text +=
          fill(wording_.device, {{'p', place.name}, {'v', treatment.verb}, {'s', treatment.state}});
    }
  }
  return opening;
}

std::string RoomsWorld::instruction() const {
  const std::array<std::string_view, 4> patterns = {
      wording_.place_task, wording_.treat_task, wording_.two_task, wording_.bring_task};
  const bool is_treatment = goal_.treatment >= 0;
  const Treatment treatment = is_treatment ? treatments_[goal_.treatment] : Treatment{};
  std::string text =
      fill(patterns[static_cast<std::size_t>(goal_.type)],
           {{'x', goal_.item}, {'p', goal_.place}, {'v', treatment.verb}, {'s', treatment.state}});
  if (is_treatment && names_device_) {
    const auto device = std::ranges::find(places_, goal_.treatment, &Place::treatment);
    text.pop_back();
    text += fill(" ({v} it at the {p}).", {{'v', treatment.verb}, {'p', device->name}});
  }
  return text;
}

std::string RoomsWorld::phrase(std::string_view pattern, int item, int place) const {
  const int treatment = place >= 0 ? places_[place].treatment : -1;
  const Treatment words = treatment >= 0 ? treatments_[treatment] : Treatment{};
  return fill(pattern,
              {{'x', item >= 0 ? std::string_view(items_[item].name) : std::string_view()},
               {'p', place >= 0 ? std::string_view(places_[place].name) : std::string_view()},
               {'v', words.verb},
               {'s', words.state}});
}

std::vector<Move> RoomsWorld::moves() const {
  std::vector<Move> moves;
  moves.reserve(places_.size() + 10);
  for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
    if (place != here_) {
      moves.push_back({kGo, -1, place, phrase(wording_.go, -1, place)});
    }
  }
  if (here_ >= 0) {
    add_moves_here(moves);
  }
  moves.push_back({kHands, -1, -1, std::string(wording_.hands)});
  moves.push_back({kLook, -1, -1, std::string(wording_.look)});
  return moves;
}

void RoomsWorld::add_moves_here(std::vector<Move>& moves) const {
  const Place& place = places_[here_];
  if (place.openable) {
    moves.push_back({place.is_open ? kClose : kOpen,
                     -1,
                     here_,
                     phrase(place.is_open ? wording_.close : wording_.open, -1, here_)});
  }
  moves.push_back({kInspect, -1, here_, phrase(wording_.inspect, -1, here_)});
  if (place.is_open && holding_ < 0) {
    for (const int item : place.items) {
      moves.push_back({kTake, item, here_, phrase(wording_.take, item, here_)});
    }
  }
  if (place.is_open && holding_ >= 0) {
    moves.push_back({kPut, holding_, here_, phrase(wording_.put, holding_, here_)});
  }
  if (holding_ >= 0 && place.treatment >= 0) {
    moves.push_back({kTreat, holding_, here_, phrase(wording_.treat, holding_, here_)});
  }
}

Reply RoomsWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, at(), held())};
  }
  Reply reply;
  switch (move->verb) {
    case kGo:
      here_ = move->object;
      reply = show(places_[here_], phrase(wording_.arrived, -1, here_));
      break;
    case kOpen:
      places_[here_].is_open = true;
      reply = show(places_[here_], phrase(wording_.opened, -1, here_));
      break;
    case kInspect:
      reply = show(places_[here_], "");
      break;
    case kClose:
      places_[here_].is_open = false;
      reply = {.text = phrase(wording_.closed, -1, here_),
               .trace = make_trace(effects::kDone, at(), held())};
      break;
    case kHands:
      reply = {.text = holding_ < 0 ? std::string(wording_.empty_handed)
                                    : phrase(wording_.carrying, holding_, here_),
               .trace = make_trace(effects::kDone, at(), held())};
      break;
    case kLook:
      reply = {.text = here_ < 0 ? std::string(wording_.nowhere) : phrase(wording_.here, -1, here_),
               .trace = make_trace(effects::kDone, at(), held())};
      break;
    default:
      reply = move_item(*move);
  }
  note_attempt(reply, *move);
  return reply;
}

Reply RoomsWorld::show(Place& place, std::string text) {
  if (!place.is_open) {
    return {.text = text + fill(wording_.is_closed, {{'p', place.name}}),
            .trace = make_trace(effects::kClosed, at(), held())};
  }
  const std::string_view effect = place.seen ? effects::kAgain : effects::kNew;
  place.seen = true;
  return {.text = text + contents(place), .trace = make_trace(effect, at(), held())};
}

std::string RoomsWorld::contents(const Place& place) const {
  return fill(place.openable ? wording_.open_list : wording_.plain_list,
              {{'p', place.name}, {'l', list_text(item_names(place), wording_.list)}});
}

std::vector<std::string> RoomsWorld::item_names(const Place& place) const {
  std::vector<std::string> names;
  names.reserve(place.items.size());
  for (const int item : place.items) {
    names.push_back(items_[item].name);
  }
  return names;
}

Reply RoomsWorld::move_item(const Move& move) {
  Place& place = places_[here_];
  std::string_view pattern;
  std::string_view effect = effects::kMoved;
  if (move.verb == kTake) {
    std::erase(place.items, move.subject);
    holding_ = move.subject;
    pattern = wording_.taken;
  } else if (move.verb == kPut) {
    place.items.push_back(move.subject);
    holding_ = -1;
    pattern = wording_.put_down;
  } else {
    check(move.verb == kTreat, "the move is one of the world's own");
    items_[move.subject].treated |= 1U << static_cast<unsigned>(place.treatment);
    pattern = wording_.treated;
    effect = effects::kDone;
  }
  Reply reply{.text = phrase(pattern, move.subject, here_),
              .trace = make_trace(effect, at(), held())};
  if (effect == effects::kMoved && place.seen) {
    add_here(reply.trace, item_names(place));
  }
  return reply;
}

/// States want and got where the move could have fulfilled the task.
void RoomsWorld::note_attempt(Reply& reply, const Move& move) {
  const bool is_bringing = goal_.type == TaskType::kBring;
  const bool brings = is_bringing && holding_ >= 0 && (move.verb == kGo || move.verb == kTake);
  const bool puts = !is_bringing && move.verb == kPut;
  if (!brings && !puts) {
    return;
  }
  const std::string want = wanted();
  const std::string got = reached_with(brings ? holding_ : move.subject, places_[here_]);
  add_attempt(reply.trace, want, got);
  reply.reached = want == got;
  if (places_[here_].kind == pursued_.place) {
    pursued_ = goal_;  // a misled actor has made its mistake
  }
}

std::string RoomsWorld::wanted() const {
  switch (goal_.type) {
    case TaskType::kTreat:
      return fill(
          "{s} {x} in {p}",
          {{'s', treatments_[goal_.treatment].state}, {'x', goal_.item}, {'p', goal_.place}});
    case TaskType::kTwo:
      return "two " + goal_.item + " in " + goal_.place;
    case TaskType::kBring:
      return goal_.item + " at " + goal_.place;
    case TaskType::kPlace:
      break;
  }
  return goal_.item + " in " + goal_.place;
}

std::string RoomsWorld::reached_with(int item, const Place& place) const {
  const Item& thing = items_[item];
  switch (goal_.type) {
    case TaskType::kTreat: {
      const bool is_treated = (thing.treated >> static_cast<unsigned>(goal_.treatment)) & 1U;
      const std::string state =
          is_treated ? std::string(treatments_[goal_.treatment].state) + " " : std::string();
      return fill("{s}{x} in {p}", {{'s', state}, {'x', thing.kind}, {'p', place.kind}});
    }
    case TaskType::kTwo: {
      const auto count = std::ranges::count_if(
          place.items, [&](int other) { return items_[other].kind == thing.kind; });
      return (count >= 2 ? "two " : "one ") + thing.kind + " in " + place.kind;
    }
    case TaskType::kBring:
      return thing.kind + " at " + place.kind;
    case TaskType::kPlace:
      break;
  }
  return thing.kind + " in " + place.kind;
}

std::string RoomsWorld::at() const {
  return here_ < 0 ? "start" : places_[here_].name;
}

std::string RoomsWorld::held() const {
  if (holding_ < 0) {
    return "nothing";
  }
  std::string text;
  for (std::size_t t = 0; t < treatments_.size(); ++t) {
    if ((items_[holding_].treated >> t) & 1U) {
      text += treatments_[t].state;
      text += ' ';
    }
  }
  return text + items_[holding_].name;
}

}  // namespace dreamgym::invented
