#include "dreamgym/worlds/invented/passages_world.h"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::invented {
namespace {

constexpr std::array<std::string_view, 4> kDirections = {"north", "east", "south", "west"};
constexpr std::array<int, 4> kStepX = {0, 1, 0, -1};
constexpr std::array<int, 4> kStepY = {1, 0, -1, 0};
constexpr std::size_t kMostCarried = 3;

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

}  // namespace

PassagesWorld::PassagesWorld(NameDeal& names, Rng rng) {
  draw_wording(rng);
  make_chambers(names, rng);
  make_goal(rng);
  chambers_[here_].seen = true;
}

void PassagesWorld::draw_wording(Rng& rng) {
  Wording& w = wording_;
  w.walk = one_of({"go {d}", "walk {d}", "{d}", "move {d}"}, rng);
  w.take = one_of({"take {x}", "get {x}", "pick up {x}"}, rng);
  w.drop = one_of({"drop {x}", "leave {x}", "put down {x}"}, rng);
  w.hands = one_of({"inventory", "what do i carry"}, rng);
  w.look = one_of({"look", "look around"}, rng);
  w.chamber = one_of({"{p}.", "You are in the {p}.", "This is {p}."}, rng);
  w.things = one_of({" You see {l}.", " There is {l}.", " On the floor: {l}."}, rng);
  w.exits = one_of({" Exits: {l}.", " Ways: {l}.", " You can go {l}."}, rng);
  w.taken = one_of({"You take the {x}.", "Taken.", "You have the {x} now."}, rng);
  w.dropped = one_of({"You drop the {x}.", "Dropped.", "The {x} lies in the {p} now."}, rng);
  w.carrying = one_of({"You carry {l}.", "In your bag: {l}."}, rng);
  w.empty_handed = one_of({"You carry nothing.", "Your bag is empty."}, rng);
  w.barred =
      one_of({"The way is barred. You need the {x}.", "Locked: {x}.", "Only with {x}."}, rng);
  w.refusal = one_of({"Nothing happens.", "You can't go that way.", "No."}, rng);
  w.task = one_of({"bring the {x} to {p}.", "drop the {x} in the {p}.", "{p} needs the {x}."}, rng);
  w.list = draw_list_form(rng);
}

void PassagesWorld::make_chambers(NameDeal& names, Rng& rng) {
  const int num_chambers = between(4, 8, rng);
  chambers_.emplace_back().name = names.next();
  while (static_cast<int>(chambers_.size()) < num_chambers) {
    const int from = static_cast<int>(rng.below(chambers_.size()));
    const int direction = static_cast<int>(rng.below(kNumDirections));
    const int x = chambers_[from].x + kStepX[direction];
    const int y = chambers_[from].y + kStepY[direction];
    const int there = chamber_at(x, y);
    const bool joins = there < 0 || chance(0.3, rng);
    if (!joins) {
      continue;
    }
    const int to = there < 0 ? static_cast<int>(chambers_.size()) : there;
    if (there < 0) {
      Chamber& chamber = chambers_.emplace_back();
      chamber.name = names.next();
      chamber.x = x;
      chamber.y = y;
    }
    chambers_[from].exits[direction] = to;
    chambers_[to].exits[(direction + 2) % kNumDirections] = from;
  }
  const int num_items = between(3, 8, rng);
  items_ = names.next(static_cast<std::size_t>(num_items));
  for (int item = 0; item < num_items; ++item) {
    chambers_[rng.below(chambers_.size())].items.push_back(item);
  }
}

/// Item 0 has to go somewhere else. The bar, if any, closes off a dead end that is not the start
/// and holds neither its own key nor the only way to it.
void PassagesWorld::make_goal(Rng& rng) {
  here_ = static_cast<int>(rng.below(chambers_.size()));
  wanted_item_ = 0;
  const int from = chamber_of(wanted_item_);
  do {
    wanted_chamber_ = static_cast<int>(rng.below(chambers_.size()));
  } while (wanted_chamber_ == from);
  pursued_item_ = wanted_item_;
  pursued_chamber_ = wanted_chamber_;
  if (!chance(0.4, rng)) {
    return;
  }
  for (int end = 0; end < static_cast<int>(chambers_.size()); ++end) {
    const auto& exits = chambers_[end].exits;
    const bool is_dead_end = std::ranges::count(exits, -1) == kNumDirections - 1;
    if (!is_dead_end || end == here_) {
      continue;
    }
    for (int key = 1; key < static_cast<int>(items_.size()); ++key) {
      if (chamber_of(key) != end) {
        bar_from_ = *std::ranges::max_element(exits);
        bar_to_ = end;
        bar_item_ = key;
        return;
      }
    }
  }
}

int PassagesWorld::chamber_at(int x, int y) const {
  const auto found = std::ranges::find_if(
      chambers_, [&](const Chamber& chamber) { return chamber.x == x && chamber.y == y; });
  return found == chambers_.end() ? -1 : static_cast<int>(found - chambers_.begin());
}

Opening PassagesWorld::open() const {
  return {.kind = "passages/bring",
          .instruction = fill(
              wording_.task, {{'x', items_[wanted_item_]}, {'p', chambers_[wanted_chamber_].name}}),
          .text = describe(chambers_[here_])};
}

std::vector<std::string> PassagesWorld::item_names(const std::vector<int>& items) const {
  std::vector<std::string> names;
  for (const int item : items) {
    names.push_back(items_[item]);
  }
  return names;
}

std::string PassagesWorld::describe(const Chamber& chamber) const {
  std::vector<std::string> ways;
  for (int direction = 0; direction < kNumDirections; ++direction) {
    if (chamber.exits[direction] >= 0) {
      ways.emplace_back(kDirections[direction]);
    }
  }
  return fill(wording_.chamber, {{'p', chamber.name}}) +
         fill(wording_.things, {{'l', list_text(item_names(chamber.items), wording_.list)}}) +
         fill(wording_.exits, {{'l', list_text(ways, {"", ", ", ", ", "nowhere"})}});
}

std::vector<Move> PassagesWorld::moves() const {
  std::vector<Move> moves;
  const Chamber& chamber = chambers_[here_];
  for (int direction = 0; direction < kNumDirections; ++direction) {
    if (chamber.exits[direction] >= 0) {
      moves.push_back({kWalk,
                       direction,
                       chamber.exits[direction],
                       fill(wording_.walk, {{'d', kDirections[direction]}})});
    }
  }
  if (carried_.size() < kMostCarried) {
    for (const int item : chamber.items) {
      moves.push_back({kTake, item, -1, fill(wording_.take, {{'x', items_[item]}})});
    }
  }
  for (const int item : carried_) {
    moves.push_back({kDrop, item, -1, fill(wording_.drop, {{'x', items_[item]}})});
  }
  moves.push_back({kHands, -1, -1, std::string(wording_.hands)});
  moves.push_back({kLook, -1, -1, std::string(wording_.look)});
  return moves;
}

Reply PassagesWorld::apply(const Move* move) {
  Chamber& chamber = chambers_[here_];
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, chamber.name, held())};
  }
  switch (move->verb) {
    case kWalk:
      return walk(*move);
    case kTake: {
      std::erase(chamber.items, move->subject);
      carried_.push_back(move->subject);
      Reply reply{.text = fill(wording_.taken, {{'x', items_[move->subject]}}),
                  .trace = make_trace(effects::kMoved, chamber.name, held())};
      add_here(reply.trace, item_names(chamber.items));
      return reply;
    }
    case kDrop:
      return drop(*move);
    case kHands: {
      const std::string list = list_text(item_names(carried_), wording_.list);
      return {.text = carried_.empty() ? std::string(wording_.empty_handed)
                                       : fill(wording_.carrying, {{'l', list}}),
              .trace = make_trace(effects::kDone, chamber.name, held())};
    }
    default:
      return {.text = describe(chamber),
              .trace = make_trace(effects::kAgain, chamber.name, held())};
  }
}

Reply PassagesWorld::walk(const Move& move) {
  if (is_barred(here_, move.object) && !holds(bar_item_)) {
    bar_known_ = true;
    return {.text = fill(wording_.barred, {{'x', items_[bar_item_]}}),
            .trace = make_trace(effects::kClosed, chambers_[here_].name, held())};
  }
  here_ = move.object;
  Chamber& chamber = chambers_[here_];
  const std::string_view effect = chamber.seen ? effects::kAgain : effects::kNew;
  chamber.seen = true;
  return {.text = describe(chamber), .trace = make_trace(effect, chamber.name, held())};
}

Reply PassagesWorld::drop(const Move& move) {
  Chamber& chamber = chambers_[here_];
  std::erase(carried_, move.subject);
  chamber.items.push_back(move.subject);
  Reply reply{.text = fill(wording_.dropped, {{'x', items_[move.subject]}, {'p', chamber.name}}),
              .trace = make_trace(effects::kMoved, chamber.name, held())};
  add_here(reply.trace, item_names(chamber.items));
  const std::string want = items_[wanted_item_] + " in " + chambers_[wanted_chamber_].name;
  const std::string got = items_[move.subject] + " in " + chamber.name;
  add_attempt(reply.trace, want, got);
  reply.reached = want == got;
  pursued_item_ = wanted_item_;  // a misled actor has made its mistake
  pursued_chamber_ = wanted_chamber_;
  return reply;
}

std::string PassagesWorld::held() const {
  return carried_.empty() ? "nothing" : join(item_names(carried_), " ");
}

bool PassagesWorld::is_barred(int from, int to) const {
  return bar_item_ >= 0 &&
         ((from == bar_from_ && to == bar_to_) || (from == bar_to_ && to == bar_from_));
}

bool PassagesWorld::holds(int item) const {
  return std::ranges::find(carried_, item) != carried_.end();
}

/// -1 if it is carried.
int PassagesWorld::chamber_of(int item) const {
  const auto found = std::ranges::find_if(chambers_, [&](const Chamber& chamber) {
    return std::ranges::find(chamber.items, item) != chamber.items.end();
  });
  return found == chambers_.end() ? -1 : static_cast<int>(found - chambers_.begin());
}

/// Breadth first through chambers that were seen; a passage known to be barred is no way.
template <class Accepts>
std::optional<int> PassagesWorld::way(Accepts accepts) const {
  std::vector<int> first(chambers_.size(), -1);
  std::deque<int> open = {here_};
  first[here_] = kNumDirections;  // visited
  while (!open.empty()) {
    const int from = open.front();
    open.pop_front();
    if (from != here_ && accepts(from)) {
      return first[from];
    }
    for (int direction = 0; direction < kNumDirections && chambers_[from].seen; ++direction) {
      const int to = chambers_[from].exits[direction];
      const bool is_blocked = to >= 0 && bar_known_ && is_barred(from, to) && !holds(bar_item_);
      if (to >= 0 && first[to] < 0 && !is_blocked) {
        first[to] = from == here_ ? direction : first[from];
        open.push_back(to);
      }
    }
  }
  return std::nullopt;
}

Move PassagesWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  const bool has_item = holds(pursued_item_);
  const bool needs_key = bar_known_ && !holds(bar_item_);
  const auto fetch = [&](int item) -> const Move* {
    const int chamber = chamber_of(item);
    if (chamber < 0 || !chambers_[chamber].seen) {
      return nullptr;
    }
    if (chamber == here_) {
      const Move* take = find_move(all, kTake, item);
      return take != nullptr ? take : find_move(all, kDrop);  // hands full
    }
    const auto direction = way([&](int other) { return other == chamber; });
    return direction ? find_move(all, kWalk, *direction) : nullptr;
  };
  const Move* move = nullptr;
  if (!has_item) {
    move = fetch(pursued_item_);
  } else if (here_ == pursued_chamber_) {
    move = find_move(all, kDrop, pursued_item_);
  } else if (chambers_[pursued_chamber_].seen) {
    const auto direction = way([&](int other) { return other == pursued_chamber_; });
    move = direction ? find_move(all, kWalk, *direction) : nullptr;
  }
  if (move == nullptr) {
    move = explore(all);
  }
  if (move == nullptr && needs_key) {
    move = fetch(bar_item_);
  }
  return move != nullptr ? *move : rng.choose(all);
}

/// Towards the nearest chamber not seen yet; null if there is none to reach.
const Move* PassagesWorld::explore(const std::vector<Move>& moves) const {
  const auto direction = way([&](int other) { return !chambers_[other].seen; });
  return direction ? find_move(moves, kWalk, *direction) : nullptr;
}

void PassagesWorld::mislead(Rng& rng) {
  const bool takes_other_item = chance(0.5, rng);
  if (takes_other_item) {
    pursued_item_ = static_cast<int>(rng.below(items_.size()));
  } else {
    pursued_chamber_ = static_cast<int>(rng.below(chambers_.size()));
  }
}

}  // namespace dreamgym::invented
