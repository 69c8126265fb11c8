// The engine of the toy world: what is true, and what can be seen of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/env/environment.h"

namespace dreamgym::toy {

/// A task with 2 to 5 boxes drawn from the stream; a quarter of all arrangements is held out.
Task draw_task(Rng rng);

/// Thread safety: none.
class ToyEnvironment final : public Environment {
 public:
  /// @throws Error kInvalidArgument if the task is not of this world, naming what is missing.
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

 private:
  [[nodiscard]] std::string room() const;
  [[nodiscard]] std::vector<Action> admissible() const;
  /// Does an admissible action and says what is seen.
  std::string apply(const Action& action);

  std::vector<std::string> boxes_;     ///< colours, e.g. "red"
  std::vector<std::string> contents_;  ///< [boxes] metal of the key inside, "" = none
  std::set<std::string> open_;         ///< colours of the open boxes
  std::set<std::string> held_;         ///< metals of the keys in hand
  std::string goal_;                   ///< metal of the chest to open
  bool running_ = false;
  bool won_ = false;
};

}  // namespace dreamgym::toy
