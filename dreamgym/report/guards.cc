#include "dreamgym/report/guards.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace dreamgym {
namespace {

// What a rule may compare a value with.
struct Context {
  double first = 0;   // finite value of the series
  double median = 0;  // of its finite values
};

struct Rule {
  std::string_view metric;  // "" = every one
  bool (*broken)(double value, const Context& context);
  std::string_view text;
};

const Rule kRules[] = {
    {"",
     [](double value, const Context&) { return !std::isfinite(value); },
     "the value is not finite: lower the learning rate, and look at the step before"},
    {"train/skipped",
     [](double value, const Context&) { return value > 0; },
     "updates were left out because their gradient was not finite"},
    {"train/spikes_skipped",
     [](double value, const Context&) { return value > 0; },
     "updates were left out because their gradient was far longer than lately"},
    {"train/kl_alarm",
     [](double value, const Context&) { return value > 0; },
     "the policy moved further in an iteration than guards.max_kl allows"},
    {"train/entropy_alarm",
     [](double value, const Context&) { return value > 0; },
     "the policy's entropy fell below guards.min_entropy_share of its first value"},
    {"train/rate_backoffs",
     [](double value, const Context&) { return value > 0; },
     "the learning rate was lowered (guards.rate_factor)"},
    {"train/stopped",
     [](double value, const Context&) { return value > 0; },
     "the guards ended the training; the policy from before their alarms was kept, or a better validated one"},
    {"train/gradient_norm",
     [](double value, const Context& context) {
       return context.median > 0 && value > 10 * context.median;
     },
     "the gradient is more than ten times its usual size"},
    {"train/kl_to_old_nats",
     [](double value, const Context&) { return std::abs(value) > 0.2; },
     "one iteration moved the policy very far: lower the learning rate or the mini-batches"},
    {"train/entropy_nats",
     [](double value, const Context& context) {
       return context.first > 0 && value < 0.05 * context.first;
     },
     "entropy collapsed: the policy hardly varies any more, so it can't learn from comparisons"},
    {"train/clipped_share",
     [](double value, const Context&) { return value > 0.5; },
     "more than half of the tokens are clipped: the update is too large for its data"},
    {"train/informative_share",
     [](double value, const Context&) { return value < 0.05; },
     "hardly any group has both successes and failures: tasks are too easy or too hard"},
    {"rollout/invalid_action_share",
     [](double value, const Context&) { return value > 0.3; },
     "the environment does not understand much of what the agent does"},
    {"replay/duplicate_share",
     [](double value, const Context&) { return value > 0.95; },
     "the dream repeats itself: nearly everything it adds is known already"},
    {"replay/effective_share",
     [](double value, const Context& context) {
       return context.first > 0 && value < 0.25 * context.first;
     },
     "low-entropy saturation: what is dreamed varies less than a quarter of what it did at first; vary the tasks "
     "(curriculum.generated_share) or raise the entropy bonus"},
    {"trust/above_logs_share",
     [](double value, const Context&) { return value > 0.15; },
     "the dream grants far more successes than the logs have, and nothing checks it: read dreamed successes in "
     "the episode browser before you use the policy"},
    {"trust/unconfirmed_rise",
     [](double value, const Context&) { return value > 0.15; },
     "ever more dreamed successes are not borne out by their own text: the policy learns to please the model"},
    {"trust/probe_rise",
     [](double value, const Context&) { return value > 0.15; },
     "dreamed success rises away from real success on the probe tasks: reward hacking"},
};

std::optional<Alarm> apply(const Rule& rule, const MetricSeries& series, const Context& context) {
  std::optional<Alarm> alarm;
  for (const auto& [step, value] : series.points) {
    if (rule.broken(value, context)) {
      if (!alarm) {
        alarm = Alarm{series.phase, series.name, step, 0, std::string(rule.text)};
      }
      ++alarm->num_steps;
    }
  }
  return alarm;
}

Context context_of(const MetricSeries& series) {
  std::vector<double> values;
  for (const auto& [step, value] : series.points) {
    if (std::isfinite(value)) {
      values.push_back(value);
    }
  }
  if (values.empty()) {
    return {};
  }
  Context context{values.front(), 0};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  context.median = *middle;
  return context;
}

}  // namespace

std::vector<Alarm> find_alarms(std::span<const MetricSeries> metrics) {
  std::vector<Alarm> alarms;
  for (const auto& series : metrics) {
    const Context context = context_of(series);
    for (const Rule& rule : kRules) {
      if (rule.metric.empty() || rule.metric == series.name) {
        if (auto alarm = apply(rule, series, context)) {
          alarms.push_back(*std::move(alarm));
        }
      }
    }
  }
  return alarms;
}

}  // namespace dreamgym
