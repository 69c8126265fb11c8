#include "dreamgym/worlds/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

namespace {

[[noreturn]] void refuse(std::string_view what,
                         const std::vector<std::string>& allowed,
                         std::string_view got) {
  const std::string hint =
      allowed.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest(got, allowed));
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("{}: expected {}, got \"{}\"",
                          what,
                          allowed.empty() ? "none" : "one of " + join(allowed, ", "),
                          shorten(got, 60)),
              hint);
}

}  // namespace

Task World::task_of_game(const std::string& path) const {
  throw Error(ErrorKind::kUnsupported,
              "the world '" + name() + "' has no game files: " + path,
              "name a task with --task, or leave it to --seed");
}

std::string_view policy_kind_name(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kExpert:
      return "expert";
    case PolicyKind::kNoisy:
      return "noisy";
    case PolicyKind::kRandom:
      return "random";
  }
  return "unknown";
}

PolicyKind policy_kind_from_name(std::string_view name) {
  std::vector<std::string> names;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    if (policy_kind_name(kind) == name) {
      return kind;
    }
    names.emplace_back(policy_kind_name(kind));
  }
  refuse("policy", names, name);
}

WorldSplit find_split(const World& world, std::string_view name) {
  std::vector<std::string> names;
  for (const WorldSplit& split : world.splits()) {
    if (split.name == name) {
      return split;
    }
    names.push_back(split.name);
  }
  refuse(fmt::format("split of world \"{}\"", world.name()), names, name);
}

void check_options(const World& world,
                   const WorldOptions& options,
                   const std::vector<std::string>& known_extra) {
  find_split(world, options.split);
  for (const auto& [key, value] : options.extra) {
    if (std::ranges::find(known_extra, key) == known_extra.end()) {
      refuse(fmt::format("option of world \"{}\"", world.name()), known_extra, key);
    }
  }
}

void check_world(const Trajectory& trajectory, std::string_view world) {
  if (trajectory.task.world != world) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("trajectory \"{}\": expected the world \"{}\", got \"{}\"",
                            trajectory.episode_id,
                            world,
                            trajectory.task.world));
  }
}

}  // namespace dreamgym
