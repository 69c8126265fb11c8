#include "dreamgym/worlds/alfworld/house_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/household_catalog.h"
#include "dreamgym/worlds/alfworld/internal/compile_game.h"
#include "dreamgym/worlds/alfworld/internal/goal_choice.h"
#include "dreamgym/worlds/alfworld/walkthrough.h"

namespace dreamgym::alfworld {
namespace {

// One room in kRoomShares is "valid_unseen"; of the other houses' goals one in kGoalShares "valid_seen".
constexpr std::uint64_t kRoomShares = 8;
constexpr std::uint64_t kGoalShares = 3;

/// "_bar__plus_01_dot_37": a number as ALFRED's ids write it.
std::string coordinate(Rng& rng, int most_hundredths) {
  const auto value = static_cast<int>(rng.below(2 * static_cast<std::uint64_t>(most_hundredths))) -
                     most_hundredths;
  return fmt::format("_bar__{}_{:02}_dot_{:02}",
                     value < 0 ? "minus" : "plus",
                     std::abs(value) / 100,
                     std::abs(value) % 100);
}

std::string thing_id(const std::string& name, Rng& rng) {
  std::string base = name;
  const bool basin = base.ends_with("basin");
  if (basin) {
    base.resize(base.size() - 5);
  }
  std::string id = base + coordinate(rng, 400) + coordinate(rng, 200) + coordinate(rng, 400);
  return basin ? id + "_bar_" + name : id;
}

std::string location_id(std::size_t number, Rng& rng) {
  return fmt::format("loc_bar_{}_bar_{}_bar_{}_bar_{}",
                     number,
                     rng.below(16),
                     rng.below(4),
                     15 * (1 + rng.below(4)));
}

/// Receptacle kinds of a room, sorted: those it must have, and others by weight.
std::vector<std::string> draw_places(const RoomKind& room, std::size_t count, Rng& rng) {
  std::vector<std::string> places = room.required;
  std::vector<double> weights;
  for (const auto& [kind, weight] : room.optional) {
    weights.push_back(weight);
  }
  while (places.size() < count) {
    const std::size_t drawn = rng.categorical(weights);
    places.push_back(room.optional[drawn].first);
    // One more of a kind that is mostly single (a toaster) is less likely than of drawers.
    weights[drawn] *= has_door(places.back()) || places.back() == "shelf" ? 0.8 : 0.35;
  }
  std::ranges::sort(places);
  return places;
}

void add_places(GameDescription& house, const std::vector<std::string>& kinds, Rng& rng) {
  for (const std::string& kind : kinds) {
    house.receptacles.push_back({.id = thing_id(kind, rng),
                                 .type = kind,
                                 .location = kNone,
                                 .openable = has_door(kind),
                                 .opened = false});
  }
  std::ranges::sort(house.receptacles, {}, &ReceptacleDescription::id);
  for (std::size_t i = 0; i <= house.receptacles.size(); ++i) {
    house.locations.push_back(location_id(i, rng));
  }
  rng.shuffle(house.locations);
  // Locations must be sorted; which receptacle stands where is drawn.
  std::vector<std::string> drawn = house.locations;
  std::ranges::sort(house.locations);
  const auto index_of = [&](const std::string& id) {
    return static_cast<Index>(std::ranges::lower_bound(house.locations, id) -
                              house.locations.begin());
  };
  for (std::size_t i = 0; i < house.receptacles.size(); ++i) {
    house.receptacles[i].location = index_of(drawn[i]);
  }
  house.agent_location = index_of(drawn.back());
}

/// Puts things where such things usually are, as long as there is room.
void add_things(GameDescription& house,
                const RoomKind& room,
                const HouseOptions& options,
                Rng& rng) {
  const auto wanted = static_cast<std::size_t>(
      std::round(options.objects_per_receptacle * static_cast<double>(house.receptacles.size())));
  std::vector<std::size_t> load(house.receptacles.size(), 0);
  std::map<std::string, std::size_t> count;
  for (std::size_t attempt = 0; attempt < 4 * wanted && house.objects.size() < wanted; ++attempt) {
    const ObjectKind* kind = find_object_kind(rng.choose(room.objects));
    check(kind != nullptr, "a room's object kinds are in the catalogue");
    const bool lamp = (kind->abilities & kToggleable) != 0;
    if (count[kind->name] >= (lamp ? 1U : 3U)) {
      continue;
    }
    std::vector<double> weights;
    for (std::size_t i = 0; i < load.size(); ++i) {
      weights.push_back(load[i] >= options.max_objects
                            ? 0.0
                            : usual_share(kind->name, house.receptacles[i].type));
    }
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
      continue;
    }
    const auto place = static_cast<Index>(rng.categorical(weights));
    ++load[place];
    ++count[kind->name];
    house.objects.push_back({.id = thing_id(kind->name, rng),
                             .type = kind->name,
                             .abilities = kind->abilities,
                             .conditions = 0,
                             .inside = {place},
                             .at = {house.receptacles[place].location},
                             .contents = {}});
  }
  std::ranges::sort(house.objects, {}, &ObjectDescription::id);
}

void add_rules(GameDescription& house) {
  for (const ReceptacleDescription& receptacle : house.receptacles) {
    for (const ObjectKind& kind : object_kinds()) {
      if (may_hold(receptacle.type, kind.name).value_or(false)) {
        house.can_contain.emplace_back(receptacle.type, kind.name);
      }
    }
  }
  std::ranges::sort(house.can_contain);
  const auto twice = std::ranges::unique(house.can_contain);
  house.can_contain.erase(twice.begin(), twice.end());
}

std::uint64_t room_signature(const GameDescription& house) {
  std::string places;
  for (const ReceptacleDescription& receptacle : house.receptacles) {
    places += receptacle.type + "\n";
  }
  return hash_text(places);
}

GameDescription draw_house(const HouseOptions& options, Rng rng) {
  GameDescription house;
  std::vector<double> weights;
  for (const RoomKind& room : room_kinds()) {
    weights.push_back(room.weight);
  }
  const RoomKind& room = room_kinds()[rng.categorical(weights)];
  const std::size_t count =
      options.min_receptacles + rng.below(options.max_receptacles - options.min_receptacles + 1);
  add_places(house, draw_places(room, count, rng), rng);
  add_things(house, room, options, rng);
  add_rules(house);
  return house;
}

bool is_unseen_room(const GameDescription& house) {
  return room_signature(house) % kRoomShares == 0;
}

/// Of a goal in a house of a training room.
std::string_view split_of_goal(std::uint64_t signature_of_house, const Goal& goal) {
  const std::uint64_t signature =
      hash_text(fmt::format("{}\n{}", signature_of_house, wanted_text(goal)));
  return signature % kGoalShares == 0 ? "valid_seen" : "train";
}

/// What a house offers to each split.
std::map<std::string_view, std::vector<Goal>> goals_by_split(const GameDescription& house) {
  std::vector<Goal> possible = possible_goals(house);
  if (is_unseen_room(house)) {
    return {{"valid_unseen", std::move(possible)}};
  }
  std::map<std::string_view, std::vector<Goal>> goals;
  const std::uint64_t signature = house_signature(house);
  for (Goal& goal : possible) {
    goals[split_of_goal(signature, goal)].push_back(std::move(goal));
  }
  return goals;
}

bool is_solvable(const GameDescription& house) {
  return find_walkthrough(*compile_rules(house, builtin_rules())).has_value();
}

}  // namespace

void check_house_options(const HouseOptions& options) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) {
      throw Error(ErrorKind::kInvalidArgument, fmt::format("generated ALFWorld houses: {}", what));
    }
  };
  need(options.min_receptacles >= 6 && options.max_receptacles <= 60 &&
           options.min_receptacles <= options.max_receptacles,
       "receptacles must be in [6, 60], the minimum at most the maximum");
  need(options.max_objects >= 1 && options.max_objects <= 12, "objects must be in [1, 12]");
  need(options.objects_per_receptacle >= 0.5 && options.objects_per_receptacle <= 6,
       "objects per receptacle must be in [0.5, 6]");
  need(options.tasks_per_house >= 1 && options.tasks_per_house <= 100,
       "tasks per house must be in [1, 100]");
}

std::uint64_t house_signature(const GameDescription& house) {
  std::vector<std::string> things;
  for (const ObjectDescription& object : house.objects) {
    for (const Index place : object.inside) {
      things.push_back(object.type + " " + house.receptacles[place].type);
    }
  }
  std::ranges::sort(things);
  return hash_text(fmt::format("{}\n{}", room_signature(house), join(things, "\n")));
}

std::string_view split_of_game(const GameDescription& game) {
  return is_unseen_room(game) ? "valid_unseen" : split_of_goal(house_signature(game), game.goal);
}

std::size_t tasks_in_house(const HouseOptions& options, std::string_view split) {
  return split == "valid_seen" ? (options.tasks_per_house + 1) / 2 : options.tasks_per_house;
}

GameDescription generate_game(const GeneratedId& id) {
  check_house_options(id.options);
  const bool unseen = id.split == "valid_unseen";
  const Rng rng = Rng(id.seed).fork("alfworld-house", id.house).fork(unseen ? "unseen" : "seen");
  const auto splits = unseen ? std::vector<std::string>{"valid_unseen"}
                             : std::vector<std::string>{"train", "valid_seen"};
  // A room of the other kind, a house without enough tasks or without a solution gives way to the next.
  constexpr std::uint64_t kAttempts = 100'000;
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    const Rng stream = rng.fork("attempt", attempt);
    GameDescription house = draw_house(id.options, stream);
    if (is_unseen_room(house) != unseen) {
      continue;
    }
    auto offered = goals_by_split(house);
    std::vector<Goal> goals;
    const bool has_enough = std::ranges::all_of(splits, [&](const std::string& split) {
      const std::size_t needed = tasks_in_house(id.options, split);
      auto found = choose_goals(std::move(offered[split]), needed, stream.fork("goals").fork(split));
      const bool enough = found.size() == needed;
      if (split == id.split) {
        goals = std::move(found);
      }
      return enough;
    });
    if (!has_enough) {
      continue;
    }
    house.goal = goals[id.task];
    house.task =
        task_sentence(house.goal, static_cast<int>(stream.fork("sentence", id.task).below(2)));
    house.name = "plan_" + replace_all(to_text(id), "-", "_");
    check(is_solvable(house), "a generated game can be won");
    return house;
  }
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("no house of split \"{}\" with {} tasks found in {} tries",
                          id.split,
                          id.options.tasks_per_house,
                          kAttempts),
              "ask for fewer tasks a house, or for more objects");
}

std::string to_text(const GeneratedId& id) {
  return fmt::format("{}-{}-{}-{}-{}-{}-s{}-h{}-t{}",
                     id.split,
                     id.options.min_receptacles,
                     id.options.max_receptacles,
                     id.options.max_objects,
                     std::lround(10 * id.options.objects_per_receptacle),
                     id.options.tasks_per_house,
                     id.seed,
                     id.house,
                     id.task);
}

GeneratedId parse_generated_id(std::string_view text) {
  const std::vector<std::string> parts = split(text, '-');
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if (i >= 6 && !part.empty() && part.front() == "sht"[std::min<std::size_t>(i - 6, 2)]) {
      part.remove_prefix(1);
    }
    std::uint64_t number = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), number);
    if (!part.empty() && read.ec == std::errc() && read.ptr == part.data() + part.size()) {
      numbers.push_back(number);
    }
  }
  GeneratedId id;
  id.split = parts.front();
  const bool known = id.split == "train" || id.split == "valid_seen" || id.split == "valid_unseen";
  if (!known || parts.size() != 9 || numbers.size() != 8 ||
      numbers[7] >= tasks_in_house({.tasks_per_house = numbers[4]}, id.split)) {
    throw Error(ErrorKind::kParse,
                fmt::format("generated ALFWorld game: got \"{}\", expected a name like "
                            "\"train-8-10-4-17-4-s0-h12-t3\"",
                            shorten(text, 80)),
                "list them with the world's tasks");
  }
  id.options = {.min_receptacles = numbers[0],
                .max_receptacles = numbers[1],
                .max_objects = numbers[2],
                .objects_per_receptacle = static_cast<double>(numbers[3]) / 10.0,
                .tasks_per_house = numbers[4]};
  id.seed = numbers[5];
  id.house = numbers[6];
  id.task = numbers[7];
  check_house_options(id.options);
  return id;
}

}  // namespace dreamgym::alfworld
