// An optimiser step that is taken back where its gradient is far larger than gradients were lately.
//
// Clipping bounds the length of such a step but not its direction, which is that of one bad batch. A
// gradient that is not finite never changes anything (trainable_model.h); this guards against those
// that are.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

struct GuardedUpdate {
  double gradient_norm = 0;  ///< before clipping
  bool not_finite = false;   ///< nothing changed
  bool spike = false;        ///< nothing changed

  [[nodiscard]] bool left_out() const { return not_finite || spike; }
};

/// The norm is held against the median of the last 32 finite ones, spikes included, so that a
/// gradient that stays large becomes the usual one; before there are 8 nothing is a spike.
class GradientGuard {
 public:
  /// @param spike_ratio   norm / median beyond which a step is taken back; 0 = never.
  /// @throws Error kInvalidArgument for a ratio that is neither 0 nor above 1.
  explicit GradientGuard(double spike_ratio);

  /// TrainableModel::update(); after a spike weights and moments are those of before, bit for bit.
  /// Costs a copy of both while it can be one.
  GuardedUpdate update(TrainableModel& model, const OptimizerConfig& config, double rate_share);

  /// What a checkpoint holds of it (model_state.h), under names that begin with `name`.
  template <class Field>
  void visit_state(const std::string& name, Field&& field) {
    std::size_t count = norms_.size();
    field(name + "_norms", count);
    norms_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      field(name + "_norm_" + std::to_string(i), norms_[i]);
    }
  }

 private:
  [[nodiscard]] bool watches() const;
  [[nodiscard]] double usual_norm() const;

  double spike_ratio_;
  std::vector<double> norms_;  // the latest last
};

/// What a step of training does beside its loss.
struct UpdateControl {
  GradientGuard* guard = nullptr;  ///< borrowed; null = every finite gradient counts
  double rate_share = 1.0;         ///< multiplies the learning rates
};

GuardedUpdate guarded_update(TrainableModel& model,
                             const OptimizerConfig& config,
                             const UpdateControl& control);

}  // namespace dreamgym
