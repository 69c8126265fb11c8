#include "dreamgym/eval/free_running_check.h"

#include <cmath>

#include <fmt/format.h>

namespace dreamgym {
namespace {

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

void judge(FreeRunningCheck& check, double max_gap) {
  if (check.gap) {
    check.passed = std::abs(check.gap->value) <= max_gap;
    check.verdict = fmt::format("the dream says {:.0f}%, reality {:.0f}%: {:+.0f} points, allowed {:.0f}",
                                100 * check.dreamed_success.value,
                                100 * check.real_success->value,
                                100 * check.gap->value,
                                100 * max_gap);
  } else if (check.confirmed_share) {
    const double unconfirmed = 1.0 - *check.confirmed_share;
    check.passed = unconfirmed <= max_gap;
    check.verdict =
        fmt::format("{:.0f}% of the dreamed successes are not borne out by their own text, allowed {:.0f}%",
                    100 * unconfirmed,
                    100 * max_gap);
  } else {
    check.passed = true;
    check.verdict = "nothing to compare with: no real world and no rule check";
  }
  if (!check.passed) {
    check.verdict +=
        "; train the experience model longer or on more near-miss episodes, or continue with --force";
  }
}

}  // namespace

FreeRunningCheck free_running_check(const PanelResult& dreamed,
                                    const PanelResult* real,
                                    const EpisodeAuditor* auditor,
                                    double max_gap) {
  FreeRunningCheck check;
  check.num_tasks = dreamed.episodes.size();
  check.dreamed_success = dreamed.success;
  for (const Episode& episode : dreamed.episodes) {
    check.dreamed_successes += episode.trajectory.success() ? 1 : 0;
  }
  if (real != nullptr) {
    check.real_success = real->success;
    check.gap = paired_difference(dreamed.outcomes(), real->outcomes());
  }
  if (auditor != nullptr) {
    audit(check, dreamed, *auditor);
  }
  judge(check, max_gap);
  return check;
}

}  // namespace dreamgym
