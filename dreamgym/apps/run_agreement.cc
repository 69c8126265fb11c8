#include "dreamgym/apps/run_agreement.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/arm_titles.h"
#include "dreamgym/apps/estimate_json.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/apps/run_policy.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/policy_panel.h"

namespace dreamgym {
namespace {

constexpr std::size_t kFewestForCorrelation = 4;

// The arms that have a model, in the order of the tables.
std::vector<std::string> policies_of(const AgreementRequest& request) {
  if (!request.policies.empty()) {
    return request.policies;
  }
  std::vector<std::string> found;
  for (const ArmTitle& arm : arm_titles()) {
    if (std::filesystem::exists(request.run / "models" / arm.name)) {
      found.push_back(arm.name);
    }
  }
  if (found.empty()) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} has no policies yet", request.run.string()),
                "let the run get past its start policy");
  }
  return found;
}

std::vector<Task> tasks_of(const World& world, const ExperimentConfig& config, std::size_t count) {
  std::vector<Task> tasks = training_tasks(config, world);
  Rng(config.seed).fork("agreement tasks").shuffle(tasks);
  tasks.resize(std::min(tasks.size(), count));
  if (tasks.size() < 2) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} tasks: dream and reality are compared task by task, over two at least", tasks.size()),
                "raise --episodes");
  }
  return tasks;
}

// Moves the stories of a panel out, to be kept.
void keep_stories(PanelResult panel, std::vector<Trajectory>& stories) {
  for (Episode& episode : panel.episodes) {
    stories.push_back(std::move(episode.trajectory));
  }
}

std::string percent(const Estimate& estimate) {
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * estimate.value, 100 * estimate.low, 100 * estimate.high);
}

}  // namespace

RunAgreement measure_agreement(const AgreementRequest& request, ProgressSink& progress) {
  RunDream dream(request.run, request.threads);
  const ExperimentConfig& config = dream.config();
  const auto world = experiment_world(config);
  if (world == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} has no world to compare its dream with", request.run.string()),
                "`dreamgym eval experience` holds the dream against the held-out logs");
  }
  const std::vector<std::string> names = policies_of(request);
  const std::vector<Task> tasks = tasks_of(*world, config, request.episodes);
  SingleEnvironmentBatch reality([&world] { return world->make_environment(); }, request.threads);
  RunAgreement out;
  std::vector<double> dreamed_rates;
  std::vector<double> real_rates;
  std::vector<Trajectory> stories;
  progress.begin("agreement", names.size(), "policies");
  for (const std::string& name : names) {
    RunPolicy policy(request.run / name, config, request.threads);
    const Rng stream = Rng(config.seed).fork("agreement");
    PanelOptions options;
    options.max_steps = config.max_steps;
    options.num_threads = request.threads;
    PanelResult real = evaluate_agent(policy.agent(), reality, dream.mappers(), tasks, stream, options);
    options.provenance = Provenance::kDreamed;
    options.simulator_version = dream.dreamer().version();
    PanelResult dreamed = evaluate_agent(policy.agent(), dream, dream.mappers(), tasks, stream, options);
    out.policies.push_back(
        {name, dreamed.success, real.success, paired_difference(dreamed.outcomes(), real.outcomes())});
    out.mean_absolute_gap += std::abs(out.policies.back().gap.value) / static_cast<double>(names.size());
    dreamed_rates.push_back(dreamed.success.value);
    real_rates.push_back(real.success.value);
    if (!request.episodes_file.empty()) {
      keep_stories(std::move(dreamed), stories);
      keep_stories(std::move(real), stories);
    }
    progress.advance(out.policies.size(), fmt::format("{} {:.0f}% and {:.0f}%", name, 100 * dreamed_rates.back(), 100 * real_rates.back()));
  }
  progress.end("");
  if (!request.episodes_file.empty()) {
    write_trajectories(request.episodes_file, stories);
  }
  if (names.size() >= kFewestForCorrelation) {
    out.correlation = correlation(dreamed_rates, real_rates);
  }
  return out;
}

std::string agreement_table(const RunAgreement& agreement) {
  std::string text = fmt::format("{:<20} {:<22} {:<22} {}\n", "success in %", "dreamed", "real", "dreamed - real");
  for (const PolicyAgreement& policy : agreement.policies) {
    text += fmt::format("{:<20} {:<22} {:<22} {}\n",
                        policy.policy,
                        percent(policy.dreamed),
                        percent(policy.real),
                        percent(policy.gap));
  }
  text += fmt::format("mean absolute gap: {:.1f} points\n", 100 * agreement.mean_absolute_gap);
  if (agreement.correlation) {
    const Estimate& r = *agreement.correlation;
    text += fmt::format("correlation over the policies: {:.2f} [{:.2f}, {:.2f}]\n", r.value, r.low, r.high);
  } else {
    text += "correlation: needs four policies that differ\n";
  }
  return text;
}

std::string agreement_json(const RunAgreement& agreement) {
  nlohmann::ordered_json out = {{"policies", nlohmann::json::array()},
                                {"mean_absolute_gap", agreement.mean_absolute_gap},
                                {"correlation", nullptr}};
  for (const PolicyAgreement& policy : agreement.policies) {
    out["policies"].push_back({{"policy", policy.policy},
                               {"dreamed", estimate_json(policy.dreamed)},
                               {"real", estimate_json(policy.real)},
                               {"gap", estimate_json(policy.gap)}});
  }
  if (agreement.correlation) {
    out["correlation"] = estimate_json(*agreement.correlation);
  }
  return out.dump();
}

}  // namespace dreamgym
