// Generated houses and tasks, in the shape of real ones but as small as wanted.
//
// A house is a room with real kinds of places and things, each where such things usually are. As in
// the benchmark, "valid_seen" has new tasks in the houses of "train", and "valid_unseen" tasks in other
// rooms. Which split a game belongs to follows from what it is: the room (its multiset of places)
// decides whether it is "valid_unseen", house and goal together between the other two; so no split shares
// a task with another, whatever the seeds. Every task is solvable: a walkthrough is found and played.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

struct HouseOptions {
  std::size_t min_receptacles = 8;      ///< real houses have 20 to 40; at least 6
  std::size_t max_receptacles = 10;     ///< at most 60
  std::size_t max_objects = 4;          ///< in one receptacle; 1 to 12
  double objects_per_receptacle = 1.7;  ///< about as many, on average
  std::size_t tasks_per_house = 4;      ///< to train on; "valid_seen" has half as many more
  bool operator==(const HouseOptions&) const = default;
};

/// @throws Error kInvalidArgument naming the value and its range.
void check_house_options(const HouseOptions& options);

/// One task in one house, by which it can be made again.
struct GeneratedId {
  HouseOptions options;
  std::string split = "train";  ///< "train", "valid_seen" or "valid_unseen"
  std::uint64_t seed = 0;
  std::uint64_t house = 0;
  std::uint64_t task = 0;  ///< below tasks_in_house
  bool operator==(const GeneratedId&) const = default;
};

/// Tasks that each house has for a split.
std::size_t tasks_in_house(const HouseOptions& options, std::string_view split);

/// "train-8-10-4-17-4-s0-h12-t3" and back.
std::string to_text(const GeneratedId& id);
/// @throws Error kParse naming the text and what was expected.
GeneratedId parse_generated_id(std::string_view text);

/// The game of that id; equal for equal ids.
GameDescription generate_game(const GeneratedId& id);

/// Equal for houses with the same places and the same things in them.
std::uint64_t house_signature(const GameDescription& description);
/// The split that a house with this goal belongs to.
std::string_view split_of_game(const GameDescription& description);

}  // namespace dreamgym::alfworld
