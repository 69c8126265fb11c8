#include "dreamgym/apps/trust_listener.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

namespace {

// Theorem 1 for the iteration's update, if the trainer has measured it.
std::map<std::string, double> theory_of(const std::map<std::string, double>& metrics,
                                        BoundInputs inputs) {
  const auto advantage = metrics.find("theory/surrogate_advantage");
  const auto divergence = metrics.find("theory/divergence_nats");
  if (advantage == metrics.end() || divergence == metrics.end()) {
    return {};
  }
  inputs.surrogate_advantage = advantage->second;
  inputs.policy_divergence = std::max(0.0, divergence->second);
  const PerformanceBound bound = performance_bound(inputs);
  return {{"theory/surrogate_gain", bound.surrogate_gain},
          {"theory/trust_region_penalty", bound.trust_region_penalty},
          {"theory/model_penalty", bound.model_penalty},
          {"theory/improvement", bound.improvement}};
}

}  // namespace

TrustListener::TrustListener(TrainingListener& recorder,
                             TrustSettings settings,
                             ProgressSink& progress)
    : recorder_(recorder),
      settings_(settings),
      progress_(progress),
      unconfirmed_({.max_rise = settings.max_rise}),
      probes_({.max_rise = settings.max_rise}) {}

void TrustListener::observe_probe(const PanelResult& dreamed, const PanelResult& real) {
  probe_steps_ += real.environment_steps;
  probes_.observe(dreamed.success.value - real.success.value);
  probe_metrics_ = {{"trust/probe_dreamed_share", dreamed.success.value},
                    {"trust/probe_real_share", real.success.value},
                    {"trust/probe_rise", probes_.rise()}};
}

void TrustListener::on_iteration(std::size_t iteration,
                                 const std::vector<Episode>& episodes,
                                 const std::map<std::string, double>& metrics) {
  std::map<std::string, double> values = metrics;
  if (metrics.contains("validation/success_share")) {  // the probe was this iteration's
    values.merge(probe_metrics_);
  }
  probe_metrics_.clear();
  std::size_t successes = 0;
  std::size_t confirmed = 0;
  for (const Episode& episode : episodes) {
    if (episode.trajectory.success()) {
      ++successes;
      confirmed += settings_.auditor != nullptr &&
                           settings_.auditor->audit(episode.trajectory).success_confirmed
                       ? 1
                       : 0;
    }
  }
  if (settings_.auditor != nullptr && successes > 0) {
    const double share =
        1.0 - static_cast<double>(confirmed) / static_cast<double>(successes);
    unconfirmed_.observe(share);
    values["trust/unconfirmed_share"] = share;
    values["trust/unconfirmed_rise"] = unconfirmed_.rise();
  }
  if (settings_.logged_success && !episodes.empty()) {
    values["trust/above_logs_share"] =
        static_cast<double>(successes) / static_cast<double>(episodes.size()) -
        *settings_.logged_success;
  }
  if (settings_.theory) {
    values.merge(theory_of(metrics, *settings_.theory));
  }
  recorder_.on_iteration(iteration, episodes, values);
  announce();
}

std::vector<std::string> TrustListener::alarms() const {
  std::vector<std::string> found;
  if (probes_.alarmed()) {
    found.push_back(fmt::format(
        "reward hacking: dreamed minus real success rose by {:.0f} points on the probe tasks, allowed {:.0f}; "
        "training in the dream was ended and the policy best in reality kept",
        100 * probes_.rise(),
        100 * settings_.max_rise));
  }
  if (unconfirmed_.alarmed()) {
    found.push_back(fmt::format(
        "the share of dreamed successes that their own text does not bear out rose by {:.0f} points while "
        "training, allowed {:.0f}: look at them in the report, or set check.probe_every",
        100 * unconfirmed_.rise(),
        100 * settings_.max_rise));
  }
  return found;
}

void TrustListener::announce() {
  const auto found = alarms();
  for (std::size_t i = num_announced_; i < found.size(); ++i) {
    progress_.note("alarm: " + found[i]);
  }
  num_announced_ = std::max(num_announced_, found.size());
}

std::string TrustListener::save() const {
  return fmt::format(
      "{}|{}|{}|{}", recorder_.save(), unconfirmed_.save(), probes_.save(), probe_steps_);
}

void TrustListener::restore(const std::string& state) {
  const std::vector<std::string> parts = split(state, '|');
  const auto steps = parts.size() == 4 ? parse_unsigned(parts[3]) : std::nullopt;
  if (!steps) {
    throw Error(ErrorKind::kCorrupt,
                "the state of the trust alarms is damaged: " + shorten(state, 60),
                "resume from the checkpoint before");
  }
  unconfirmed_.restore(parts[1]);
  probes_.restore(parts[2]);
  probe_steps_ = *steps;
  recorder_.restore(parts[0]);
}

}  // namespace dreamgym
