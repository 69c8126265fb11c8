// One transition as the replay buffer keeps it: what happened, where it comes from, and its name.
//
// Thread safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

struct StoredTransition {
  /// Content hash (16 hexadecimal digits): world, split, instruction and what was seen, done and
  /// received. The same thing happening in another episode has the same id.
  std::string id;
  Transition transition;
  std::string instruction;  ///< of the task it was part of
  std::string world;
  std::string split;
  std::string episode_id;
  /// A second episode of the same provenance in which the very same thing happened; "" if none.
  /// With two, a search that leaves one episode out can still offer the transition.
  std::string other_episode_id;
  std::size_t step_index = 0;  ///< within episode_id
  Provenance provenance = Provenance::kReal;
  std::string policy_version;
  std::string simulator_version;  ///< "" for a real transition
  bool operator==(const StoredTransition&) const = default;
};

std::string_view provenance_name(Provenance provenance);  ///< "real" or "dreamed"

/// The id its content gives it (the field `id` is not read).
std::string content_id(const StoredTransition& record);

/// Hash of what a reader of a demonstration sees: observation, action, reply, reward and end flags.
/// Two records of equal hash teach the same.
std::uint64_t demonstration_hash(const Transition& transition);

/// Every step of the trajectory as a record, ids filled in; but not steps that failed for reasons of
/// infrastructure, which say nothing of the world.
std::vector<StoredTransition> to_records(const Trajectory& trajectory);

}  // namespace dreamgym
