#include "dreamgym/data/outcome.h"

namespace dreamgym {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess:
      return "success";
    case Outcome::kFailure:
      return "failure";
    case Outcome::kTruncated:
      return "truncated";
    case Outcome::kInfrastructureError:
      return "infrastructure_error";
  }
  return "unknown";
}

std::optional<Outcome> outcome_from_name(std::string_view name) {
  for (const Outcome outcome :
       {Outcome::kSuccess, Outcome::kFailure, Outcome::kTruncated, Outcome::kInfrastructureError}) {
    if (outcome_name(outcome) == name) {
      return outcome;
    }
  }
  return std::nullopt;
}

Outcome outcome_of_last(const Transition& last) {
  if (last.info.contains(transition_info::kInfrastructureError)) {
    return Outcome::kInfrastructureError;
  }
  if (!last.terminated) {
    return Outcome::kTruncated;
  }
  return last.reward >= 1 ? Outcome::kSuccess : Outcome::kFailure;
}

void settle_outcome(Trajectory& trajectory) {
  trajectory.episode_return = 0;
  for (const Transition& step : trajectory.steps) {
    trajectory.episode_return += step.reward;
  }
  trajectory.outcome =
      trajectory.steps.empty() ? Outcome::kTruncated : outcome_of_last(trajectory.steps.back());
}

}  // namespace dreamgym
