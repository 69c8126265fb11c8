// ALFWorld as an Environment: one game, one episode at a time.
#pragma once

#include <memory>

#include "dreamgym/env/environment.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/game_library.h"

namespace dreamgym::alfworld {

/// Reads task.settings as game_library.h names them. The first observation is the engine's own
/// (welcome, room, task); with settings.text = "compact" it is the room only, since the instruction
/// is given anyway, and "help" is not offered: its long text tells an agent nothing. Reward 1 and terminated when the goal is reached. info: {"won", "score"}.
/// Thread safety: none; objects share games through the library.
class AlfworldEnvironment final : public Environment {
 public:
  explicit AlfworldEnvironment(std::shared_ptr<GameLibrary> library);
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

 private:
  [[nodiscard]] std::vector<std::string> admissible();

  std::shared_ptr<GameLibrary> library_;
  std::shared_ptr<const AlfredGame> game_;
  GameState state_;
  bool running_ = false;
  bool compact_ = false;
};

}  // namespace dreamgym::alfworld
