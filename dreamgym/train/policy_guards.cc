#include "dreamgym/train/policy_guards.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/model_state.h"

namespace dreamgym {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kSolved = 0.9;  // success from which on low entropy is no alarm

}  // namespace

PolicyGuards::PolicyGuards(const GuardConfig& config)
    : config_(config), policy_(config.spike_ratio), critic_(config.spike_ratio) {
  internal::require_between(config.max_kl, 0, kMost, "guards.max_kl");
  internal::require_between(config.min_entropy_share, 0, 1, "guards.min_entropy_share");
  internal::require_between(config.rate_factor, 1e-3, 1, "guards.rate_factor");
  internal::require_between(config.rate_floor, 1e-6, 1, "guards.rate_floor");
}

void PolicyGuards::begin_iteration() { before_ = counts_; }

void PolicyGuards::count(const GuardedUpdate& update) {
  counts_.not_finite += update.not_finite ? 1 : 0;
  counts_.spikes += update.spike ? 1 : 0;
  if (update.left_out()) {
    lower_rate();
  }
}

void PolicyGuards::observe(std::optional<double> kl,
                           std::optional<double> entropy,
                           double success) {
  if (!kl || !entropy) {
    return;
  }
  if (first_entropy_ == 0) {
    first_entropy_ = *entropy;
  }
  // A number that is not one is no reason to go on.
  const bool moved_far = config_.max_kl > 0 && !(std::abs(*kl) <= config_.max_kl);
  const bool collapsed = config_.min_entropy_share > 0 && success < kSolved &&
                         !(*entropy >= config_.min_entropy_share * first_entropy_);
  counts_.kl_alarms += moved_far ? 1 : 0;
  counts_.entropy_alarms += collapsed ? 1 : 0;
  num_alarms_ = moved_far || collapsed ? num_alarms_ + 1 : 0;
  last_is_entropy_ = collapsed && !moved_far ? 1 : 0;
  if (moved_far) {
    lower_rate();
  }
}

void PolicyGuards::lower_rate() {
  const double lowered = std::max(config_.rate_floor, rate_share_ * config_.rate_factor);
  counts_.backoffs += lowered < rate_share_ ? 1 : 0;
  rate_share_ = std::min(rate_share_, lowered);
}

StopReason PolicyGuards::stop_reason() const {
  if (config_.patience == 0 || num_alarms_ < config_.patience) {
    return StopReason::kNone;
  }
  return last_is_entropy_ != 0 ? StopReason::kEntropy : StopReason::kKl;
}

std::map<std::string, double> PolicyGuards::metrics() const {
  const auto since = [](std::size_t now, std::size_t then) { return static_cast<double>(now - then); };
  return {{"train/skipped", since(counts_.not_finite, before_.not_finite)},
          {"train/spikes_skipped", since(counts_.spikes, before_.spikes)},
          {"train/kl_alarm", since(counts_.kl_alarms, before_.kl_alarms)},
          {"train/entropy_alarm", since(counts_.entropy_alarms, before_.entropy_alarms)},
          {"train/rate_backoffs", since(counts_.backoffs, before_.backoffs)},
          {"train/stopped", stop_reason() == StopReason::kNone ? 0.0 : 1.0}};
}

std::vector<std::string> PolicyGuards::remarks() const {
  std::vector<std::string> out;
  if (stop_reason() == StopReason::kKl) {
    out.push_back(fmt::format(
        "training was ended: {} iterations in a row moved the policy by more than {} nats per token; the "
        "policy from before them was kept, or a better validated one. Lower the learning rate",
        num_alarms_,
        config_.max_kl));
  } else if (stop_reason() == StopReason::kEntropy) {
    out.push_back(fmt::format(
        "training was ended: in {} iterations in a row the policy's entropy was below {:.0f}% of its first "
        "value; the policy from before them was kept, or a better validated one. Lower the learning rate, or "
        "add an entropy bonus",
        num_alarms_,
        100 * config_.min_entropy_share));
  }
  const auto say = [&](std::size_t count, std::string_view what) {
    if (count > 0) {
      out.push_back(fmt::format("{} {}", count, what));
    }
  };
  say(counts_.not_finite, "update(s) left out: the gradient was not finite");
  say(counts_.spikes, "update(s) left out: the gradient was far longer than lately (guards.spike_ratio)");
  say(counts_.kl_alarms, "iteration(s) moved the policy further than guards.max_kl");
  say(counts_.entropy_alarms, "iteration(s) with an entropy below guards.min_entropy_share");
  if (counts_.backoffs > 0) {
    out.push_back(fmt::format("the learning rate was lowered {} time(s), to {:.3g} of its value",
                              counts_.backoffs,
                              rate_share_));
  }
  return out;
}

template <class Field>
void PolicyGuards::visit_state(Field&& field) {
  policy_.visit_state("policy", field);
  critic_.visit_state("critic", field);
  field("rate_share", rate_share_);
  field("first_entropy", first_entropy_);
  field("num_alarms", num_alarms_);
  field("last_is_entropy", last_is_entropy_);
  field("not_finite", counts_.not_finite);
  field("spikes", counts_.spikes);
  field("kl_alarms", counts_.kl_alarms);
  field("entropy_alarms", counts_.entropy_alarms);
  field("backoffs", counts_.backoffs);
}

std::string PolicyGuards::save() const {
  StateWriter writer;
  PolicyGuards(*this).visit_state(writer);
  return writer.text();
}

void PolicyGuards::restore(const std::string& state) {
  visit_state(StateReader(state));
}

}  // namespace dreamgym
