#include "dreamgym/eval/calibration.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

std::size_t bin_of(double confidence, std::size_t num_bins) {
  if (!(confidence >= 0 && confidence <= 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("calibration: a confidence is {}, expected one in [0, 1]", confidence));
  }
  return std::min(num_bins - 1, static_cast<std::size_t>(confidence * static_cast<double>(num_bins)));
}

}  // namespace

Calibration measure_calibration(std::span<const ConfidentAnswer> answers, std::size_t num_bins) {
  check(num_bins >= 1, "a calibration has bins");
  Calibration result;
  result.bins.resize(num_bins);
  for (const ConfidentAnswer& answer : answers) {
    CalibrationBin& bin = result.bins[bin_of(answer.confidence, num_bins)];
    const double right = answer.right ? 1.0 : 0.0;
    ++bin.count;
    bin.mean_confidence += answer.confidence;
    bin.share_right += right;
    result.brier += (answer.confidence - right) * (answer.confidence - right);
  }
  const double total = std::max<double>(1.0, static_cast<double>(answers.size()));
  result.brier /= total;
  for (CalibrationBin& bin : result.bins) {
    if (bin.count > 0) {
      const auto count = static_cast<double>(bin.count);
      bin.mean_confidence /= count;
      bin.share_right /= count;
      result.expected_error += count / total * std::abs(bin.share_right - bin.mean_confidence);
    }
  }
  return result;
}

std::vector<ConfidentAnswer> cross_calibrated(std::span<const ConfidentAnswer> answers,
                                              std::size_t num_bins) {
  std::vector<ConfidentAnswer> halves[2];
  for (std::size_t i = 0; i < answers.size(); ++i) {
    halves[i % 2].push_back(answers[i]);
  }
  const Calibration of_half[2] = {measure_calibration(halves[0], num_bins),
                                  measure_calibration(halves[1], num_bins)};
  std::vector<ConfidentAnswer> calibrated(answers.begin(), answers.end());
  for (std::size_t i = 0; i < calibrated.size(); ++i) {
    const CalibrationBin& bin = of_half[1 - i % 2].bins[bin_of(calibrated[i].confidence, num_bins)];
    if (bin.count > 0) {
      calibrated[i].confidence = bin.share_right;
    }
  }
  return calibrated;
}

}  // namespace dreamgym
