// What a world offers: its tasks, its engine, and the scripted pieces that go with them.
//
// Everything above talks to a world through this interface; worlds/catalog.cc lists them all.
// docs/add_a_world.md is the recipe for a new one (copy worlds/toy/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/env/action_mapper.h"
#include "dreamgym/env/environment.h"
#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/env/explainer.h"
#include "dreamgym/env/scripted_policy.h"
#include "dreamgym/env/state_mapper.h"
#include "dreamgym/env/task_auditor.h"
#include "dreamgym/env/task_reviser.h"

namespace dreamgym {

/// Which tasks are wanted.
struct WorldOptions {
  std::string data_folder{};  ///< folder with the benchmark's own files; "" = generated tasks only
  std::string split = "train";  ///< one of the world's splits
  std::size_t count = 0;   ///< how many; 0 = all there are (a generated split: its default size)
  std::uint64_t seed = 0;  ///< of the generator and of any choice among the tasks
  std::map<std::string, std::string> extra{};  ///< world-specific, e.g. {"receptacles": "8"}
};

struct WorldSplit {
  std::string name{};         ///< e.g. "train", "valid_seen"
  std::string description{};  ///< one line: where its tasks come from
  bool held_out = false;      ///< for evaluation only: never trained on, never retrieved from
  bool needs_data = false;    ///< its tasks come from files in WorldOptions::data_folder
  bool operator==(const WorldSplit&) const = default;
};

enum class PolicyKind { kExpert, kNoisy, kRandom };

/// Thread safety: const members are reentrant.
/// Lifetime: what the make_ functions return may outlive the world.
class World {
 public:
  virtual ~World() = default;
  [[nodiscard]] virtual std::string name() const = 0;         ///< as in Task::world
  [[nodiscard]] virtual std::string description() const = 0;  ///< one line
  /// Variants of wording its files come in; empty if there is only one.
  [[nodiscard]] virtual std::vector<std::string> dialects() const { return {}; }
  [[nodiscard]] virtual std::vector<WorldSplit> splits() const = 0;
  /// Tasks of one split, equal for equal options; the splits of one world share none.
  /// @throws Error kInvalidArgument for an unknown split or extra key (naming the nearest),
  ///               kNotFound if the data folder lacks the files.
  [[nodiscard]] virtual std::vector<Task> tasks(const WorldOptions& options) const = 0;
  /// The task of one of the world's own game files.
  /// @throws Error kUnsupported if the world has no such files; kNotFound, kParse for a bad file.
  [[nodiscard]] virtual Task task_of_game(const std::string& path) const;
  [[nodiscard]] virtual std::unique_ptr<Environment> make_environment() const = 0;
  [[nodiscard]] virtual std::unique_ptr<ActionMapperFactory> make_action_mapper_factory() const = 0;
  /// From the world's own pages, as logs have them, to what its tasks show under these options; null
  /// if that is the same.
  [[nodiscard]] virtual std::unique_ptr<StateMapper> make_state_mapper(const WorldOptions&) const {
    return nullptr;
  }
  [[nodiscard]] virtual std::unique_ptr<Explainer> make_explainer() const = 0;
  /// Rule check of dreamed episodes; null if the world has none.
  [[nodiscard]] virtual std::unique_ptr<EpisodeAuditor> make_episode_auditor() const {
    return nullptr;
  }
  /// Holds generated tasks against what the world has; null if any well-formed task may be played.
  [[nodiscard]] virtual std::unique_ptr<TaskReviser> make_task_reviser() const { return nullptr; }
  /// Whether generated tasks can really be done, for measures only; null if the world can't tell.
  [[nodiscard]] virtual std::unique_ptr<TaskAuditor> make_task_auditor() const { return nullptr; }
  /// @param noise  probability of a mistake at each step, in [0, 1]; used by kNoisy only.
  [[nodiscard]] virtual std::unique_ptr<ScriptedPolicy> make_policy(PolicyKind kind,
                                                                    double noise) const = 0;
};

/// "expert", "noisy", "random".
std::string_view policy_kind_name(PolicyKind kind);
/// @throws Error kInvalidArgument naming the allowed ones.
PolicyKind policy_kind_from_name(std::string_view name);

/// The split of that name. @throws Error kInvalidArgument naming the world's splits and the
/// nearest.
WorldSplit find_split(const World& world, std::string_view name);
/// Holds split and extra keys against what the world knows.
/// @throws Error kInvalidArgument naming the allowed ones and the nearest.
void check_options(const World& world,
                   const WorldOptions& options,
                   const std::vector<std::string>& known_extra);
/// @throws Error kInvalidArgument if the trajectory is of another world.
void check_world(const Trajectory& trajectory, std::string_view world);

}  // namespace dreamgym
