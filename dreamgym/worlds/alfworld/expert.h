// A scripted expert that reads only what an agent sees, with mistakes on demand.
//
// It goes where such things usually are, remembers what it saw, and does the task's subgoals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/env/scripted_policy.h"
#include "dreamgym/worlds/alfworld/action_mapper.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"
#include "dreamgym/worlds/alfworld/task_goal.h"

namespace dreamgym::alfworld {

struct ExpertOptions {
  /// Probability of a uniform random admissible action at each step, in [0, 1].
  double random_action = 0;
  /// Probability that the episode begins with a near miss, in [0, 1]: another object, another place
  /// or no treatment is pursued until something has been put down or used, then the true task.
  double near_miss = 0;
};

/// Thread safety: none; one thread per object.
class AlfworldExpert final : public ScriptedPolicy {
 public:
  /// @throws Error kInvalidArgument if a probability is outside [0, 1].
  explicit AlfworldExpert(const ExpertOptions& options);
  /// @throws Error kUnsupported if the instruction is none of ALFWorld's sentences.
  void reset(const Task& task, const Observation& observation, std::uint64_t seed) override;
  Action act() override;
  void observe(const Action& action, const Observation& observation) override;

 private:
  enum class Miss { kFaithful, kOtherObject, kOtherPlace, kNoTreatment };

  void plan_near_miss();
  void choose_other_object();
  void choose_other_place();
  std::string random_action();
  std::string pursue(const Goal& goal);
  std::string under_lamp(const Goal& goal);
  std::string bring_to_place(const Goal& goal);
  std::string treat_held(const Goal& goal);
  std::string fetch(const Goal& goal);
  std::string drop(const Goal& goal);
  std::string explore(std::string_view wanted_type);
  std::string visit(const std::string& place);
  std::string go(const std::string& place);
  std::string put(const std::string& object, const std::string& place) const;
  [[nodiscard]] bool refused(const std::string& action) const;
  [[nodiscard]] bool is_done(const Goal& goal, const std::string& object) const;
  [[nodiscard]] std::string destination(const Goal& goal) const;
  [[nodiscard]] std::vector<std::string> places_of_type(std::string_view type) const;

  ExpertOptions options_;
  Rng rng_;
  Goal goal_;
  Goal near_miss_;
  Miss miss_ = Miss::kFaithful;
  EpisodeMemory memory_;
  AlfworldActionMapper mapper_;
  std::vector<std::string> admissible_;
  std::set<std::string, std::less<>> dead_ends_;  ///< actions that were refused for good
};

std::unique_ptr<ScriptedPolicy> make_expert(const ExpertOptions& options = {});

}  // namespace dreamgym::alfworld
