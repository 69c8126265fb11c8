// What a competent actor does in a rooms world, and how it is led astray.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/invented/rooms_world.h"

namespace dreamgym::invented {

Move RoomsWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  if (holding_ >= 0) {
    return items_[holding_].kind == pursued_.item ? deliver(all) : put_away(all, rng);
  }
  const auto known = known_item();
  if (!known) {
    return explore(all, rng);
  }
  const auto [item, place] = *known;
  if (const Move* take = find_move(all, kTake, item)) {
    return *take;
  }
  return reach(all, place);
}

/// Not yet where the pursued goal wants it.
bool RoomsWorld::suits(int item) const {
  return items_[item].kind == pursued_.item;
}

std::optional<std::pair<int, int>> RoomsWorld::known_item() const {
  const int target = target_place();
  for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
    const bool is_done = pursued_.type == TaskType::kTwo && place == target;
    if (!places_[place].seen || is_done) {
      continue;
    }
    for (const int item : places_[place].items) {
      if (suits(item)) {
        return std::pair(item, place);
      }
    }
  }
  return std::nullopt;
}

/// Where to deliver: the place of the goal's kind that is fullest of the goal's items.
int RoomsWorld::target_place() const {
  int best = -1;
  int best_count = -1;
  for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
    const int count = places_[place].seen ? count_in(place, pursued_.item) : 0;
    if (places_[place].kind == pursued_.place && count > best_count) {
      best = place;
      best_count = count;
    }
  }
  check(best >= 0, "a place of the goal's kind exists");
  return best;
}

int RoomsWorld::count_in(int place, const std::string& kind) const {
  return static_cast<int>(std::ranges::count_if(
      places_[place].items, [&](int item) { return items_[item].kind == kind; }));
}

/// Goes there or, once there, opens it.
Move RoomsWorld::reach(const std::vector<Move>& moves, int place) const {
  if (const Move* go = find_move(moves, kGo, -1, place)) {
    return *go;
  }
  const Move* open = find_move(moves, kOpen, -1, place);
  return open != nullptr ? *open : *find_move(moves, kInspect, -1, place);
}

Move RoomsWorld::explore(const std::vector<Move>& moves, Rng& rng) const {
  if (here_ >= 0 && !places_[here_].seen) {
    return reach(moves, here_);
  }
  std::vector<int> unseen;
  for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
    if (!places_[place].seen) {
      unseen.push_back(place);
    }
  }
  if (unseen.empty()) {  // the pursued thing does not exist: look around
    return *find_move(moves, kLook);
  }
  return reach(moves, rng.choose(unseen));
}

/// Gets rid of what is held, but not where it would look like another attempt.
Move RoomsWorld::put_away(const std::vector<Move>& moves, Rng& rng) const {
  const bool fits = here_ >= 0 && places_[here_].kind != goal_.place;
  if (fits) {
    const Move* put = find_move(moves, kPut);
    return put != nullptr ? *put : reach(moves, here_);
  }
  std::vector<int> others;
  for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
    if (place != here_ && places_[place].kind != goal_.place) {
      others.push_back(place);
    }
  }
  return reach(moves, rng.choose(others));
}

Move RoomsWorld::deliver(const std::vector<Move>& moves) const {
  const int treatment = pursued_.treatment;
  if (treatment >= 0 &&
      ((items_[holding_].treated >> static_cast<unsigned>(treatment)) & 1U) == 0) {
    const auto device = std::ranges::find(places_, treatment, &Place::treatment);
    const int place = static_cast<int>(device - places_.begin());
    const Move* treat = find_move(moves, kTreat, holding_, place);
    return treat != nullptr ? *treat : reach(moves, place);
  }
  const int target = target_place();
  if (pursued_.type == TaskType::kBring) {
    return reach(moves, target);
  }
  const Move* put = find_move(moves, kPut, holding_, target);
  return put != nullptr ? *put : reach(moves, target);
}

void RoomsWorld::mislead(Rng& rng) {
  const bool skips_treatment = goal_.treatment >= 0 && chance(0.5, rng);
  if (skips_treatment) {
    pursued_.treatment = -1;
    return;
  }
  const bool takes_other_item = chance(0.6, rng);
  if (takes_other_item) {
    pursued_.item = rng.choose(items_).kind;
  } else {
    pursued_.place = rng.choose(places_).kind;
  }
}

}  // namespace dreamgym::invented
