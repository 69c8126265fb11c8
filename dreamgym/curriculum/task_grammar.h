// What a well-formed, feasible task looks like, learnt from the tasks one already has.
//
// Names (words a log writes before a number) become slots: "put a hot mug in cabinet" is the frame
// "put a hot {} in {}" with the fillers mug and cabinet. A new task is well formed if its frame was
// seen and each slot holds a name seen in the logs; in a slot that has all but stopped bringing new
// names (few can be heated, many can be put somewhere) one it has held before.
// It is feasible if every slot whose fillers were always visible in the first observation is filled
// with a name that is visible in this one, and if somebody has seen all its names in the seed's
// place. A place is what its episodes begin with, less the task; in one that no known episode begins
// with nothing is known to be feasible.
// Thread safety: const members are reentrant.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/expected.h"
#include "dreamgym/data/types.h"

namespace dreamgym {

/// A task's first observation without its own instruction, so that it tells where, not what.
/// @param task  with settings["first_observation"].
std::string task_place(const Task& task);

class TaskGrammar {
 public:
  /// @param tasks  with settings["first_observation"]; those without only teach frames.
  /// @param names    every entity name of the logs.
  /// @param stories  episodes that tell what there is in their places; none = any place may hold anything.
  TaskGrammar(const std::vector<Task>& tasks,
              const std::vector<std::string>& names,
              std::span<const Trajectory> stories = {});

  /// Nothing wrong, or why the instruction is no task for the place of `seed`, which has a first
  /// observation.
  [[nodiscard]] Expected<void, std::string> validate(std::string_view instruction, const Task& seed) const;
  [[nodiscard]] std::size_t num_frames() const { return frames_.size(); }

 private:
  struct Slot {
    std::map<std::string, std::size_t> fillers;  // how often each was seen
    bool always_visible = true;

    [[nodiscard]] bool closed() const;
  };
  struct Parsed {
    std::string frame;
    std::vector<std::string> fillers;
  };
  [[nodiscard]] Parsed parse(std::string_view instruction) const;

  std::set<std::string> names_;
  std::map<std::string, std::vector<Slot>> frames_;
  std::map<std::string, std::set<std::string>> seen_;  // names, by place
};

}  // namespace dreamgym
