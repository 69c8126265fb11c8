#include "dreamgym/eval/hidden_contents.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/data/entities.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/eval/internal/true_history.h"

namespace dreamgym {
namespace {

constexpr double kSmallestExpected = 5;

// Upper tail of the chi-square distribution by the regularised incomplete gamma function Q(k/2, x/2): its series below
// k/2 + 1, its continued fraction above (Numerical Recipes 6.2).
double upper_tail(double statistic, double degrees) {
  const double a = degrees / 2;
  const double x = statistic / 2;
  if (x <= 0) {
    return 1;
  }
  const double front = std::exp(-x + a * std::log(x) - std::lgamma(a));
  constexpr int kTerms = 10'000;
  constexpr double kEnough = 1e-14;
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < kTerms && term > sum * kEnough; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return std::clamp(1 - front * sum, 0.0, 1.0);
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double h = d;
  for (int n = 1; n < kTerms; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + an / c;
    c = std::abs(c) < kTiny ? kTiny : c;
    h *= d * c;
    if (std::abs(d * c - 1) < kEnough) {
      break;
    }
  }
  return std::clamp(front * h, 0.0, 1.0);
}

std::string kind_of(const std::string& thing) { return thing.substr(0, thing.find(' ')); }

bool is_first_look(const Transition& step) {
  const auto trace = parse_reasoning_trace(step.reasoning_trace);
  return trace && trace->find("effect") == effects::kNew;
}

// Counts what a look shows beside the place itself and the action's own things. Returns how many things.
double count_things(const std::string& text, const Transition& look, HiddenContents::Counts& counts) {
  const auto trace = parse_reasoning_trace(look.reasoning_trace);
  const std::string at = trace ? trace->find("at").value_or("") : "";
  const auto things = entities_beside(text, at, look.action);
  for (const std::string& thing : things) {
    counts[kind_of(thing) + " in " + kind_of(at)] += 1;
  }
  return static_cast<double>(things.size());
}

}  // namespace

ChiSquare homogeneity(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  double total_a = 0;
  double total_b = 0;
  std::map<std::string, std::pair<double, double>> kinds;
  for (const auto& [kind, count] : a) {
    kinds[kind].first += count;
    total_a += count;
  }
  for (const auto& [kind, count] : b) {
    kinds[kind].second += count;
    total_b += count;
  }
  ChiSquare test;
  const double total = total_a + total_b;
  if (total_a <= 0 || total_b <= 0) {
    return test;
  }
  std::vector<std::pair<double, double>> cells;
  std::pair<double, double> rare = {0, 0};
  for (const auto& [kind, counts] : kinds) {
    const double both = counts.first + counts.second;
    if (both * std::min(total_a, total_b) / total < kSmallestExpected) {
      rare = {rare.first + counts.first, rare.second + counts.second};
    } else {
      cells.push_back(counts);
    }
  }
  if (rare.first + rare.second > 0) {
    cells.push_back(rare);
  }
  for (const auto& [of_a, of_b] : cells) {
    const double both = of_a + of_b;
    const double expected_a = both * total_a / total;
    const double expected_b = both * total_b / total;
    test.statistic += (of_a - expected_a) * (of_a - expected_a) / expected_a +
                      (of_b - expected_b) * (of_b - expected_b) / expected_b;
  }
  test.degrees = cells.empty() ? 0 : cells.size() - 1;
  test.p_value = test.degrees == 0 ? 1 : upper_tail(test.statistic, static_cast<double>(test.degrees));
  return test;
}

HiddenContents measure_hidden_contents(StepwiseDream& dream,
                                       std::span<const Trajectory> held_out,
                                       std::size_t max_draws,
                                       const Rng& rng) {
  HiddenContents found;
  for (std::size_t round = 0; found.draws < max_draws; ++round) {
    const std::size_t before = found.draws;
    eval_internal::walk_true_history(
        dream,
        held_out,
        [&](std::size_t i) { return rng.fork("round", round).fork("episode", i).next(); },
        [&](std::size_t i, std::size_t t, const StepResult& proposed) {
          const Transition& look = held_out[i].steps[t];
          const bool answered = !proposed.info.contains(transition_info::kInfrastructureError);
          if (found.draws >= max_draws || !is_first_look(look) || !answered) {
            return;
          }
          ++found.draws;
          found.looks += round == 0 ? 1 : 0;
          const double real = count_things(look.next_observation.text, look, found.real);
          const double dreamed = count_things(proposed.observation.text, look, found.dreamed);
          found.real_empty += real == 0 ? 1 : 0;
          found.dreamed_empty += dreamed == 0 ? 1 : 0;
          found.real_things += real;
          found.dreamed_things += dreamed;
        });
    if (found.draws == before) {
      break;  // nobody looks anywhere
    }
  }
  if (found.draws > 0) {
    found.real_things /= static_cast<double>(found.draws);
    found.dreamed_things /= static_cast<double>(found.draws);
  }
  // Real looks are counted once a round: the test must not take them for more than they are.
  HiddenContents::Counts real = found.real;
  const double rounds = found.looks == 0 ? 1 : static_cast<double>(found.draws) / static_cast<double>(found.looks);
  for (auto& [kind, count] : real) {
    count /= std::max(1.0, rounds);
  }
  found.test = homogeneity(real, found.dreamed);
  return found;
}

}  // namespace dreamgym
