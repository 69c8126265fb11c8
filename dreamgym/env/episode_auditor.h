// A rule check of an episode by its own text: what a dream claims must follow from what it showed.
#pragma once

#include <cstddef>
#include <string>

#include "dreamgym/data/types.h"

namespace dreamgym {

struct EpisodeAudit {
  bool success_confirmed = false;      ///< the text bears out the claimed success
  std::size_t num_contradictions = 0;  ///< with what the episode showed earlier
  std::string first_contradiction;     ///< step and reason; "" if none
  std::size_t num_second_looks = 0;    ///< steps that show contents the episode has shown before
  std::size_t num_agreeing = 0;        ///< of these, those that show what must be there
  /// Of what was asked for, what the text shows met, in [0, 1], where the world pays in part; 1 on success.
  double goal_share = 0;
};

/// Thread safety: const members are reentrant.
class EpisodeAuditor {
 public:
  virtual ~EpisodeAuditor() = default;
  /// Reads instruction, actions and observations only.
  [[nodiscard]] virtual EpisodeAudit audit(const Trajectory& trajectory) const = 0;
};

}  // namespace dreamgym
