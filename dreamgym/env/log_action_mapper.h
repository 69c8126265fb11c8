// Candidate actions for a tool nobody has rules for, from the actions its logs hold.
//
// An action becomes a pattern: every thing in it (data/entities.h) is a slot that remembers which words stood
// there. "open ticket 4" and "open ticket 7" are one pattern with a slot for tickets. The candidates of a moment are
// all patterns filled with things that the episode has named so far. Actions without a thing stand for themselves.
#pragma once

#include <memory>
#include <span>

#include "dreamgym/data/types.h"
#include "dreamgym/env/action_mapper.h"

namespace dreamgym {

struct LogActionOptions {
  std::size_t min_count = 1;         ///< a pattern seen fewer times is left out
  std::size_t max_candidates = 120;  ///< of a moment; patterns seen often come first
};

/// @throws Error kInvalidArgument if the logs hold no action.
/// Thread safety: the factory is reentrant.
std::unique_ptr<ActionMapperFactory> make_log_action_mapper_factory(
    std::span<const Trajectory> logs, const LogActionOptions& options = {});

}  // namespace dreamgym
