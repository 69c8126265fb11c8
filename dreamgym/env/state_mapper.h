// From a world's own pages to a short abstract state, and back from abstract actions to the world's
// (the paper's state mapping, section 4.3).
//
// A mapper reads only what an agent reads, so real episodes and logs are mapped by the same code; a
// dream is learnt from mapped episodes and speaks the abstract language by itself.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// Follows one episode.
/// Thread safety: none; one thread per object.
class StateMapper {
 public:
  virtual ~StateMapper() = default;
  /// Starts an episode. @return  the abstract first state.
  /// @throws Error kParse if that is no first page of this world.
  virtual std::string reset(std::string_view instruction, std::string_view observation) = 0;
  /// The world's action for an abstract one; what is no abstract action is returned as it is.
  [[nodiscard]] virtual Action to_world(std::string_view action) const = 0;
  /// The other way round.
  [[nodiscard]] virtual Action from_world(std::string_view action) const = 0;
  /// Takes note of the world's action and of the page that came back. @return  the abstract state.
  virtual std::string observe(std::string_view world_action,
                              bool action_valid,
                              std::string_view observation) = 0;
};

/// A logged episode as the mapper sees it: observations and actions abstract, rewards as they were.
/// @throws Error as reset(); the trajectory is then unchanged.
void map_trajectory(StateMapper& mapper, Trajectory& trajectory);

}  // namespace dreamgym
