#include "dreamgym/train/preference_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {
namespace {

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

/// -log sigmoid(x), without overflow.
double softplus_of_minus(double x) {
  return std::max(0.0, -x) + std::log1p(std::exp(-std::abs(x)));
}

/// A loss of the log-ratio difference h and its derivative.
struct MarginLoss {
  double value = 0;
  double d_h = 0;
};

MarginLoss margin_loss(double h, const PreferenceLossConfig& config) {
  const double z = config.beta * h;
  const double wrong = config.label_smoothing;
  switch (config.kind) {
    case PreferenceLossKind::kDpo:
      return {(1 - wrong) * softplus_of_minus(z) + wrong * softplus_of_minus(-z),
              config.beta * (wrong * sigmoid(z) - (1 - wrong) * sigmoid(-z))};
    case PreferenceLossKind::kIpo: {
      const double error = h - 1.0 / (2.0 * config.beta);
      return {error * error, 2.0 * error};
    }
    case PreferenceLossKind::kHinge:
      return z < 1 ? MarginLoss{1 - z, -config.beta} : MarginLoss{};
  }
  throw LogicError("unknown preference loss");
}

void require_valid(const PreferenceLossConfig& config) {
  internal::require_between(config.beta,
                            std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::max(),
                            "beta of the preference loss");
  const double most = config.kind == PreferenceLossKind::kDpo ? std::nextafter(0.5, 0.0) : 0.0;
  internal::require_between(config.label_smoothing,
                            0,
                            most,
                            config.kind == PreferenceLossKind::kDpo
                                ? "label_smoothing"
                                : "label_smoothing of a loss other than DPO");
}

}  // namespace

PreferencePairLoss preference_loss(const PreferencePairScore& pair,
                                   const PreferenceLossConfig& config) {
  require_valid(config);
  check(pair.chosen_tokens >= 1 && pair.rejected_tokens >= 1, "completions have tokens");
  const auto chosen_tokens = static_cast<double>(pair.chosen_tokens);
  const auto rejected_tokens = static_cast<double>(pair.rejected_tokens);
  const double chosen_scale = config.length_normalised ? 1.0 / chosen_tokens : 1.0;
  const double rejected_scale = config.length_normalised ? 1.0 / rejected_tokens : 1.0;
  const double chosen_ratio = (pair.chosen - pair.reference_chosen) * chosen_scale;
  const double rejected_ratio = (pair.rejected - pair.reference_rejected) * rejected_scale;
  const MarginLoss margin = margin_loss(chosen_ratio - rejected_ratio, config);

  PreferencePairLoss out;
  out.sft_loss = -pair.chosen / chosen_tokens;
  out.loss = margin.value + config.sft_weight * out.sft_loss;
  out.d_chosen = margin.d_h * chosen_scale - config.sft_weight / chosen_tokens;
  out.d_rejected = -margin.d_h * rejected_scale;
  out.chosen_reward = config.beta * chosen_ratio;
  out.rejected_reward = config.beta * rejected_ratio;
  return out;
}

}  // namespace dreamgym
