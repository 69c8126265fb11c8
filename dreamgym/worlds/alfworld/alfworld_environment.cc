#include "dreamgym/worlds/alfworld/alfworld_environment.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::alfworld {
namespace {

bool wants_compact(const Task& task) {
  const auto text = task.settings.find(settings::kText);
  if (text == task.settings.end() || text->second.empty() || text->second == "full") {
    return false;
  }
  if (text->second != "compact") {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task \"{}\": settings.text is \"{}\", expected full or compact",
                            task.id,
                            text->second));
  }
  return true;
}

}  // namespace

AlfworldEnvironment::AlfworldEnvironment(std::shared_ptr<GameLibrary> library)
    : library_(std::move(library)) {}

Observation AlfworldEnvironment::reset(const Task& task, std::uint64_t /*seed*/) {
  running_ = false;
  compact_ = wants_compact(task);
  game_ = library_->find(task);
  state_ = game_->initial;
  running_ = true;
  return {compact_ ? game_->opening_room : game_->opening_text, admissible()};
}

StepResult AlfworldEnvironment::step(const Action& action) {
  check(running_, "an episode runs when step() is called");
  StepResult result;
  result.action_valid = play_command(*game_, state_, action, result.observation.text).has_value();
  result.observation.admissible = admissible();
  result.terminated = goal_reached(*game_, state_);
  result.reward = result.terminated ? 1 : 0;
  result.info = {{"won", result.terminated ? "true" : "false"},
                 {"score", result.terminated ? "1" : "0"}};
  running_ = !result.terminated;
  return result;
}

std::vector<std::string> AlfworldEnvironment::admissible() {
  std::vector<std::string> commands;
  list_commands(*game_, state_, commands);
  if (compact_) {
    std::erase(commands, "help");
  }
  return commands;
}

}  // namespace dreamgym::alfworld
