// What houses are made of: kinds of things and places, what fits where, where things usually are.
//
// Kinds, abilities and what fits where are ALFWorld's; the usual places are shares counted over
// 254 of its training games. Thread safety: pure functions over constant tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dreamgym::alfworld {

struct ObjectKind {
  std::string name;                                    ///< as in texts, e.g. "butterknife"
  std::string pddl;                                    ///< as in files, e.g. "ButterKnife"
  std::uint8_t abilities = 0;                          ///< of Ability
  std::vector<std::pair<std::string, double>> places;  ///< (receptacle kind, share of finds)
  std::vector<std::string> fits;                       ///< receptacle kinds that may hold it
};

struct ReceptacleKind {
  std::string name;
  std::string pddl;
  bool openable = false;
};

struct RoomKind {
  std::string name;  ///< "kitchen", "bedroom", "living room", "bathroom"
  double weight = 0;
  std::vector<std::string> required;                     ///< receptacle kinds, one of each
  std::vector<std::pair<std::string, double>> optional;  ///< (receptacle kind, weight)
  std::vector<std::string> objects;                      ///< object kinds found there
  int first_floor_plan = 0;                              ///< ALFRED's numbers: 1, 201, 301, 401
};

std::span<const ObjectKind> object_kinds();
std::span<const RoomKind> room_kinds();

/// Nothing for kinds that are not in the catalogue.
const ObjectKind* find_object_kind(std::string_view name);
const ReceptacleKind* find_receptacle_kind(std::string_view name);

/// Share of finds of the object kind at receptacles of that kind; 0 if unknown.
double usual_share(std::string_view object, std::string_view receptacle);
/// Whether it may be put there; nothing if either is unknown.
std::optional<bool> may_hold(std::string_view receptacle, std::string_view object);
/// The receptacle kind has a door (as far as known).
bool has_door(std::string_view receptacle);

}  // namespace dreamgym::alfworld
