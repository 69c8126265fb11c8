#include "dreamgym/worlds/invented/tally_world.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "dreamgym/base/error.h"

namespace dreamgym::invented {
namespace {

constexpr std::size_t kMostThings = 9;

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

}  // namespace

TallyWorld::TallyWorld(NameDeal& names, Rng rng) {
  draw_wording(rng);
  kinds_ = names.next(static_cast<std::size_t>(between(2, 5, rng)));
  const int num_things = between(2, 8, rng);
  for (int i = 0; i < num_things; ++i) {
    list_.push_back(static_cast<int>(rng.below(kinds_.size())));
  }
  shows_list_ = chance(0.6, rng);
  wanted_kind_ = static_cast<int>(rng.below(kinds_.size()));
  const int most = static_cast<int>(kMostThings) - num_things + count_of(wanted_kind_);
  do {
    wanted_count_ = between(0, most, rng);
  } while (wanted_count_ == count_of(wanted_kind_));
  detours_ = between(0, 3, rng);
}

void TallyWorld::draw_wording(Rng& rng) {
  Wording& w = wording_;
  w.add = one_of({"add {x}", "put a {x}", "one more {x}"}, rng);
  w.remove = one_of({"remove {x}", "take a {x}", "one {x} less"}, rng);
  w.count = one_of({"count {x}", "how many {x}", "number of {x}"}, rng);
  w.read = one_of({"read list", "show", "look"}, rng);
  w.first = one_of({"first", "what is first"}, rng);
  w.last = one_of({"last", "what is last"}, rng);
  w.opening = one_of({"The list: {l}.", "There is {l}.", "You see {l}."}, rng);
  w.added = one_of({"Added {x}.", "One more {x}.", "You put a {x}."}, rng);
  w.removed = one_of({"Removed {x}.", "A {x} less.", "You take a {x}."}, rng);
  w.counted = one_of({"There are {n} {x}.", "{x}: {n}.", "{n}."}, rng);
  w.list_text = one_of({"The list: {l}.", "Now {l}.", "{l}."}, rng);
  w.refusal = one_of({"Nothing happens.", "That is not possible.", "No."}, rng);
  w.task =
      one_of({"there must be {n} {x}.", "make it {n} {x}.", "i want {n} {x} on the list."}, rng);
  w.list = draw_list_form(rng);
}

int TallyWorld::count_of(int kind) const {
  return static_cast<int>(std::ranges::count(list_, kind));
}

std::string TallyWorld::size_text() const {
  return std::to_string(list_.size());
}

std::vector<std::string> TallyWorld::names() const {
  std::vector<std::string> names;
  for (const int kind : list_) {
    names.push_back(kinds_[kind]);
  }
  return names;
}

std::string TallyWorld::contents() const {
  return list_text(names(), wording_.list);
}

Opening TallyWorld::open() const {
  return {.kind = "tally/number",
          .instruction = fill(wording_.task,
                              {{'n', std::to_string(wanted_count_)}, {'x', kinds_[wanted_kind_]}}),
          .text = fill(wording_.opening, {{'l', contents()}})};
}

std::vector<Move> TallyWorld::moves() const {
  std::vector<Move> moves;
  for (int kind = 0; kind < static_cast<int>(kinds_.size()); ++kind) {
    if (list_.size() < kMostThings) {
      moves.push_back({kAdd, kind, -1, fill(wording_.add, {{'x', kinds_[kind]}})});
    }
    if (count_of(kind) > 0) {
      moves.push_back({kRemove, kind, -1, fill(wording_.remove, {{'x', kinds_[kind]}})});
    }
    moves.push_back({kCount, kind, -1, fill(wording_.count, {{'x', kinds_[kind]}})});
  }
  moves.push_back({kRead, -1, -1, std::string(wording_.read)});
  if (!list_.empty()) {
    moves.push_back({kFirst, -1, -1, std::string(wording_.first)});
    moves.push_back({kLast, -1, -1, std::string(wording_.last)});
  }
  return moves;
}

Reply TallyWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, "list", size_text())};
  }
  switch (move->verb) {
    case kAdd:
    case kRemove:
      return change(*move);
    case kCount:
      return {.text = fill(
                  wording_.counted,
                  {{'n', std::to_string(count_of(move->subject))}, {'x', kinds_[move->subject]}}),
              .trace = make_trace(effects::kDone, "list", size_text())};
    case kRead:
      return {.text = fill(wording_.list_text, {{'l', contents()}}),
              .trace = make_trace(effects::kAgain, "list", size_text())};
    default: {
      const int kind = move->verb == kFirst ? list_.front() : list_.back();
      return {.text = kinds_[kind] + ".", .trace = make_trace(effects::kDone, "list", size_text())};
    }
  }
}

/// Adds at the end; removes the first of its kind.
Reply TallyWorld::change(const Move& move) {
  const bool adds = move.verb == kAdd;
  if (adds) {
    list_.push_back(move.subject);
  } else {
    list_.erase(std::ranges::find(list_, move.subject));
  }
  Reply reply;
  reply.text = fill(adds ? wording_.added : wording_.removed, {{'x', kinds_[move.subject]}});
  if (shows_list_) {
    reply.text += ' ';
    reply.text += fill(wording_.list_text, {{'l', contents()}});
  }
  reply.trace = make_trace(effects::kMoved, "list", size_text());
  if (!shows_list_) {
    add_here(reply.trace, names());
  }
  if (move.subject == wanted_kind_) {
    const std::string want = std::to_string(wanted_count_) + " " + kinds_[wanted_kind_];
    const std::string got = std::to_string(count_of(wanted_kind_)) + " " + kinds_[wanted_kind_];
    add_attempt(reply.trace, want, got);
    reply.reached = want == got;
  }
  return reply;
}

Move TallyWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  if (detours_ > 0) {
    --detours_;
    const Move& move = rng.choose(all);
    const bool is_change = move.verb == kAdd || move.verb == kRemove;
    if (!is_change || move.subject != wanted_kind_) {
      return move;
    }
  }
  if (!counted_) {
    counted_ = true;
    return *find_move(all, kCount, wanted_kind_);
  }
  const bool has_too_few = count_of(wanted_kind_) < wanted_count_;
  if (has_too_few && list_.size() == kMostThings) {  // make room
    const auto other = std::ranges::find_if(list_, [&](int kind) { return kind != wanted_kind_; });
    return *find_move(all, kRemove, *other);
  }
  return *find_move(all, has_too_few ? kAdd : kRemove, wanted_kind_);
}

void TallyWorld::mislead(Rng& rng) {
  detours_ = between(4, 8, rng);
}

}  // namespace dreamgym::invented
