#include "dreamgym/eval/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr double kNormal95 = 1.959963984540054;

// Two-sided 95% quantiles of Student's t for 1..30 degrees of freedom.
constexpr std::array<double, 30> kStudent95 = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

Estimate around_mean(std::span<const double> values, double quantile) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) {
    mean += value / n;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  const double half = quantile * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

}  // namespace

Estimate wilson_interval(std::size_t successes, std::size_t trials) {
  if (trials == 0) {
    return {0, 0, 1};
  }
  check(successes <= trials, "no more successes than trials");
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double z2 = kNormal95 * kNormal95;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  // The formula gives exactly 0 and 1 at the ends; rounding does not.
  return {p, successes == 0 ? 0.0 : centre - half, successes == trials ? 1.0 : centre + half};
}

Estimate paired_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument, "a paired comparison needs two equally long panels");
  }
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences[i] = a[i] - b[i];
  }
  return around_mean(differences, kNormal95);
}

double paired_sign_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw Error(ErrorKind::kInvalidArgument, "a paired comparison needs two equally long panels");
  }
  std::size_t wins = 0;
  std::size_t losses = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    wins += a[i] > b[i] ? 1 : 0;
    losses += a[i] < b[i] ? 1 : 0;
  }
  const auto n = static_cast<double>(wins + losses);
  double tail = 0;  // P(at most as many as the rarer side), each pair falling either way
  for (std::size_t k = 0; k <= std::min(wins, losses); ++k) {
    const auto count = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(count + 1) - std::lgamma(n - count + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

Estimate independent_difference(const Estimate& a, const Estimate& b) {
  const double difference = a.value - b.value;
  const double below = std::hypot(a.value - a.low, b.high - b.value);
  const double above = std::hypot(a.high - a.value, b.value - b.low);
  return {difference, difference - below, difference + above};
}

Estimate mean_over_seeds(std::span<const double> values) {
  if (values.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument, "an interval over seeds needs at least two of them");
  }
  const std::size_t degrees = values.size() - 1;
  return around_mean(values,
                     degrees <= kStudent95.size() ? kStudent95[degrees - 1] : kNormal95);
}

std::optional<Estimate> correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < 4) {
    throw Error(ErrorKind::kInvalidArgument, "a correlation needs two equally long series of four or more");
  }
  const double mean_a = around_mean(a, 0).value;
  const double mean_b = around_mean(b, 0).value;
  double product = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    squares_a += (a[i] - mean_a) * (a[i] - mean_a);
    squares_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (squares_a == 0 || squares_b == 0) {
    return std::nullopt;
  }
  const double r = std::clamp(product / std::sqrt(squares_a * squares_b), -1.0, 1.0);
  if (std::abs(r) == 1) {
    return Estimate{r, r, r};
  }
  const double half = kNormal95 / std::sqrt(static_cast<double>(a.size()) - 3);
  return Estimate{r, std::tanh(std::atanh(r) - half), std::tanh(std::atanh(r) + half)};
}

}  // namespace dreamgym
