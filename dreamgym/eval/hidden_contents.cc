#include "dreamgym/eval/hidden_contents.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

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

using Counts = HiddenContents::Counts;

constexpr std::size_t kExchanges = 499;

// What a look shows beside the place itself and the action's own things, by kind.
Counts contents_of(const std::string& text, const Transition& look) {
  const auto trace = parse_reasoning_trace(look.reasoning_trace);
  const std::string at = trace ? trace->find("at").value_or("") : "";
  Counts counts;
  for (const std::string& thing : entities_beside(text, at, look.action)) {
    counts[kind_of(thing) + " in " + kind_of(at)] += 1;
  }
  return counts;
}

double number_of_things(const Counts& contents) {
  double number = 0;
  for (const auto& [kind, count] : contents) {
    number += count;
  }
  return number;
}

void add(Counts& sum, const Counts& contents, double weight) {
  for (const auto& [kind, count] : contents) {
    sum[kind] += weight * count;
  }
}

// Contents of one place: what is there, then what was dreamed.
using Place = std::vector<Counts>;

// One of each place's contents taken for the real one, against the others.
ChiSquare test_of(const std::map<std::string, Place>& places,
                  double dreamed_weight,
                  const std::function<std::size_t(const Place&)>& real_one) {
  Counts real;
  Counts dreamed;
  for (const auto& [name, place] : places) {
    const std::size_t chosen = real_one(place);
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (i == chosen) {
        add(real, place[i], 1);
      } else {
        add(dreamed, place[i], dreamed_weight / static_cast<double>(place.size() - 1));
      }
    }
  }
  return homogeneity(real, dreamed);
}

// Means, counts and tests of what was gathered.
void conclude(HiddenContents& found, const std::map<std::string, Place>& places, Rng rng) {
  found.places = places.size();
  if (places.empty()) {
    return;
  }
  const auto num_places = static_cast<double>(places.size());
  const double weight = static_cast<double>(found.draws) / num_places;
  for (const auto& [name, place] : places) {
    const double share = 1.0 / static_cast<double>(place.size() - 1);
    add(found.real, place.front(), 1);
    found.real_things += number_of_things(place.front()) / num_places;
    found.real_empty += place.front().empty() ? 1.0 / num_places : 0.0;
    for (std::size_t i = 1; i < place.size(); ++i) {
      add(found.dreamed, place[i], weight * share);
      found.dreamed_things += share * number_of_things(place[i]) / num_places;
      found.dreamed_empty += place[i].empty() ? share / num_places : 0.0;
    }
  }
  found.test = test_of(places, weight, [](const Place&) { return std::size_t{0}; });
  std::size_t as_large = 1;
  for (std::size_t i = 0; i < kExchanges; ++i) {
    const ChiSquare exchanged =
        test_of(places, weight, [&](const Place& place) { return rng.below(place.size()); });
    as_large += exchanged.statistic >= found.test.statistic ? 1 : 0;
  }
  found.exchange_p_value = static_cast<double>(as_large) / static_cast<double>(kExchanges + 1);
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
  std::map<std::string, Place> places;
  for (std::size_t round = 0; found.draws < max_draws; ++round) {
    const std::size_t before = found.draws;
    eval_internal::walk_true_history(
        dream,
        held_out,
        [&](std::size_t i) { return rng.fork("round", round).fork("episode", i).next(); },
        [&](std::size_t i, std::size_t t, const StepResult& proposed) {
          const Transition& look = held_out[i].steps[t];
          const auto trace = parse_reasoning_trace(look.reasoning_trace);
          const bool first_look = trace && trace->find("effect") == effects::kNew;
          const bool answered = !proposed.info.contains(transition_info::kInfrastructureError);
          if (found.draws >= max_draws || !first_look || !answered) {
            return;
          }
          ++found.draws;
          found.looks += round == 0 ? 1 : 0;
          Place& place =
              places[held_out[i].steps.front().observation.text + "\n" + trace->find("at").value_or("")];
          if (place.empty()) {
            place.push_back(contents_of(look.next_observation.text, look));
          }
          place.push_back(contents_of(proposed.observation.text, look));
        });
    if (found.draws == before) {
      break;  // nobody looks anywhere
    }
  }
  conclude(found, places, rng.fork("exchange"));
  return found;
}

}  // namespace dreamgym
