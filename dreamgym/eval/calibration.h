// Whether a model knows what it knows: confidence against being right.
//
// Pure functions. Thread safety: reentrant. Source: Guo et al. 2017 (expected calibration error).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dreamgym {

struct ConfidentAnswer {
  double confidence = 0;  ///< in [0, 1]
  bool right = false;
};

struct CalibrationBin {
  std::size_t count = 0;
  double mean_confidence = 0;
  double share_right = 0;
};

struct Calibration {
  double expected_error = 0;  ///< mean over answers of |share right - mean confidence| of their bin
  double brier = 0;           ///< mean squared distance of confidence from being right
  std::vector<CalibrationBin> bins;
};

/// @param num_bins  of equal width over [0, 1], >= 1. @throws Error kInvalidArgument for a confidence outside.
Calibration measure_calibration(std::span<const ConfidentAnswer> answers, std::size_t num_bins = 10);

/// Confidences replaced by the share of right answers in their bin of the answers of the other half (even and odd
/// places), so that no answer judges itself: what calibrating on held-out data is worth. A bin without answers
/// leaves the confidence as it is.
std::vector<ConfidentAnswer> cross_calibrated(std::span<const ConfidentAnswer> answers,
                                              std::size_t num_bins = 10);

}  // namespace dreamgym
