#include "dreamgym/worlds/catalog.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/alfworld_world.h"
#include "dreamgym/worlds/toy/toy_world.h"
#include "dreamgym/worlds/webshop/webshop_world.h"

namespace dreamgym {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<World> (*make)();
};

// A new world is one include and one line here.
constexpr Entry kWorlds[] = {
    {"alfworld", make_alfworld_world},
    {"toy", make_toy_world},
    {"webshop", make_webshop_world},
};

}  // namespace

std::vector<std::string> world_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kWorlds) {
    names.emplace_back(entry.name);
  }
  return names;
}

std::unique_ptr<World> make_world(std::string_view name) {
  for (const Entry& entry : kWorlds) {
    if (entry.name == name) {
      return entry.make();
    }
  }
  if (name == "none") {
    throw Error(ErrorKind::kInvalidArgument,
                "world: \"none\" has no engine, so nothing can be played or measured in it",
                "`dreamgym play dream:RUN` walks through the dream of a run");
  }
  throw Error(
      ErrorKind::kNotFound,
      fmt::format(
          "world: expected one of {}, got \"{}\"", join(world_names(), ", "), shorten(name, 60)),
      fmt::format("did you mean \"{}\"?", nearest(name, world_names())));
}

}  // namespace dreamgym
