#include "dreamgym/train/gradient_guard.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/model_state.h"

namespace dreamgym {
namespace {

constexpr std::size_t kWindow = 32;
constexpr std::size_t kFewest = 8;

}  // namespace

GradientGuard::GradientGuard(double spike_ratio) : spike_ratio_(spike_ratio) {
  if (spike_ratio != 0 && !(spike_ratio > 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("spike_ratio is {}, expected 0 or a number above 1", spike_ratio),
                "a ratio of 10 leaves out gradients ten times as long as usual; 0 turns it off");
  }
}

bool GradientGuard::watches() const { return spike_ratio_ > 0 && norms_.size() >= kFewest; }

double GradientGuard::usual_norm() const {
  std::vector<double> sorted = norms_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

GuardedUpdate GradientGuard::update(TrainableModel& model,
                                    const OptimizerConfig& config,
                                    double rate_share) {
  const std::optional<Blobs> before = watches() ? std::optional(model_blobs(model)) : std::nullopt;
  const UpdateResult done = model.update(config, rate_share);
  GuardedUpdate out{.gradient_norm = done.gradient_norm, .not_finite = done.skipped};
  if (out.not_finite) {
    return out;
  }
  if (before && done.gradient_norm > spike_ratio_ * usual_norm()) {
    restore_model(model, *before);
    out.spike = true;
  }
  norms_.push_back(done.gradient_norm);
  if (norms_.size() > kWindow) {
    norms_.erase(norms_.begin());
  }
  return out;
}

GuardedUpdate guarded_update(TrainableModel& model,
                             const OptimizerConfig& config,
                             const UpdateControl& control) {
  if (control.guard != nullptr) {
    return control.guard->update(model, config, control.rate_share);
  }
  const UpdateResult done = model.update(config, control.rate_share);
  return {.gradient_norm = done.gradient_norm, .not_finite = done.skipped};
}

}  // namespace dreamgym
