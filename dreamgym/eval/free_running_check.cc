#include "dreamgym/eval/free_running_check.h"

#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// Dreamed minus real success over the tasks that infrastructure ended in neither.
std::optional<Estimate> paired_gap(const PanelResult& dreamed, const PanelResult& real) {
  check(dreamed.episodes.size() == real.episodes.size(), "the same panel in dream and reality");
  std::vector<double> in_dream;
  std::vector<double> in_reality;
  for (std::size_t i = 0; i < dreamed.episodes.size(); ++i) {
    const Trajectory& dream = dreamed.episodes[i].trajectory;
    const Trajectory& world = real.episodes[i].trajectory;
    if (dream.outcome != Outcome::kInfrastructureError && world.outcome != Outcome::kInfrastructureError) {
      in_dream.push_back(dream.success() ? 1.0 : 0.0);
      in_reality.push_back(world.success() ? 1.0 : 0.0);
    }
  }
  return in_dream.size() < 2 ? std::nullopt : std::optional(paired_difference(in_dream, in_reality));
}

void audit(FreeRunningCheck& check, const PanelResult& dreamed, const EpisodeAuditor& auditor) {
  std::size_t confirmed = 0;
  std::size_t contradictions = 0;
  std::size_t second_looks = 0;
  std::size_t agreeing = 0;
  for (const Episode& episode : dreamed.episodes) {
    const EpisodeAudit result = auditor.audit(episode.trajectory);
    contradictions += result.num_contradictions;
    second_looks += result.num_second_looks;
    agreeing += result.num_agreeing;
    if (check.first_contradiction.empty()) {
      check.first_contradiction = result.first_contradiction;
    }
    confirmed += episode.trajectory.success() && result.success_confirmed ? 1 : 0;
  }
  if (check.dreamed_successes > 0) {
    check.confirmed_share =
        static_cast<double>(confirmed) / static_cast<double>(check.dreamed_successes);
  }
  if (second_looks > 0) {
    check.second_looks_agree = static_cast<double>(agreeing) / static_cast<double>(second_looks);
  }
  if (!dreamed.episodes.empty()) {
    check.contradictions_per_episode =
        static_cast<double>(contradictions) / static_cast<double>(dreamed.episodes.size());
  }
}

// Without a reality: what is known of the dream's kindness.
void judge_without_reality(FreeRunningCheck& check, double max_gap) {
  check.passed = true;
  if (check.confirmed_share) {
    const double unconfirmed = 1.0 - *check.confirmed_share;
    check.passed = unconfirmed <= max_gap;
    check.verdict =
        fmt::format("{:.0f}% of the dreamed successes are not borne out by their own text, allowed {:.0f}",
                    100 * unconfirmed,
                    100 * max_gap);
  }
  if (!check.above_logs) {
    return;
  }
  const bool beyond_chance = check.above_logs->low > 0;
  const bool far = beyond_chance && check.above_logs->value > max_gap;
  check.passed = check.passed && !far;
  const std::string compared = fmt::format(
      "the dream says {:.0f}%, the logs' agents had {:.0f}%: {:+.0f} points [{:+.0f}, {:+.0f}], allowed {:.0f}",
      100 * check.dreamed_success.value,
      100 * check.logged_success->value,
      100 * check.above_logs->value,
      100 * check.above_logs->low,
      100 * check.above_logs->high,
      100 * max_gap);
  check.verdict += (check.verdict.empty() ? "" : "; ") + compared;
  if (beyond_chance && !far) {
    check.alarms.push_back(
        "the dream is kinder than the logs: " + compared +
        ". The start policy imitates successes, so a little is no surprise; more failures in the logs, near "
        "misses above all, make a dream stricter");
  }
}

void judge(FreeRunningCheck& check, double max_gap) {
  if (check.gap) {
    check.passed = std::abs(check.gap->value) <= max_gap;
    check.verdict = fmt::format("the dream says {:.0f}%, reality {:.0f}%: {:+.0f} points, allowed {:.0f}",
                                100 * check.dreamed_success.value,
                                100 * check.real_success->value,
                                100 * check.gap->value,
                                100 * max_gap);
  } else {
    judge_without_reality(check, max_gap);
  }
  if (check.verdict.empty()) {
    check.verdict = "nothing to compare with: no real world, no rule check, no logs";
  }
  if (!check.passed) {
    check.verdict +=
        "; train the experience model longer or on more near-miss episodes (one that is prompted: ask a better one, "
        "or describe the tool better), or continue with --force";
  }
}

}  // namespace

FreeRunningCheck free_running_check(const PanelResult& dreamed,
                                    const CheckWitnesses& witnesses,
                                    double max_gap) {
  FreeRunningCheck check;
  check.num_tasks = dreamed.episodes.size();
  check.dreamed_success = dreamed.success;
  for (const Episode& episode : dreamed.episodes) {
    check.dreamed_successes += episode.trajectory.success() ? 1 : 0;
  }
  if (witnesses.real != nullptr) {
    check.real_success = witnesses.real->success;
    check.gap = paired_gap(dreamed, *witnesses.real);
  }
  if (witnesses.logged_success) {
    check.logged_success = witnesses.logged_success;
    check.above_logs = independent_difference(dreamed.success, *witnesses.logged_success);
  }
  if (witnesses.auditor != nullptr) {
    audit(check, dreamed, *witnesses.auditor);
  }
  judge(check, max_gap);
  return check;
}

}  // namespace dreamgym
