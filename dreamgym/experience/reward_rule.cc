#include "dreamgym/experience/reward_rule.h"

#include <algorithm>

namespace dreamgym {
namespace {

constexpr double kMostInPart = 0.95;  // of a goal that is not fully met

}  // namespace

double reward_by_rule(const EpisodeAuditor& rule,
                        const Task& task,
                        std::string_view first_observation,
                        std::span<const PastStep> past,
                        const PastStep& last) {
  Trajectory episode;
  episode.task = task;
  episode.provenance = Provenance::kDreamed;
  episode.outcome = Outcome::kSuccess;  // the claim under audit
  std::string before(first_observation);
  const auto append = [&](const PastStep& step) {
    Transition& added = episode.steps.emplace_back();
    added.observation.text = std::move(before);
    added.action = step.action;
    added.next_observation.text = step.observation;
    before = step.observation;
  };
  for (const PastStep& step : past) {
    append(step);
  }
  append(last);
  episode.steps.back().terminated = true;
  episode.steps.back().reward = 1.0;
  const EpisodeAudit audit = rule.audit(episode);
  return audit.success_confirmed ? 1.0 : std::min(audit.goal_share, kMostInPart);
}

}  // namespace dreamgym
