// The last stage of a run: what came out, as values.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dreamgym/apps/arm_titles.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/to_interval.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

Interval interval_of(const std::map<std::string, double>& measures, const std::string& name) {
  return {measures.at(name), measures.at(name + "_low"), measures.at(name + "_high")};
}

std::optional<Interval> optional_interval(const std::map<std::string, double>& measures,
                                          const std::string& name) {
  return measures.contains(name) ? std::optional(interval_of(measures, name)) : std::nullopt;
}

CheckResult check_result(const StageRecord& record) {
  const auto& measures = record.measures;
  CheckResult check;
  check.num_tasks = static_cast<std::size_t>(measures.at("num_tasks"));
  check.dreamed_success = interval_of(measures, "dreamed_success");
  check.passed = measures.at("passed") > 0;
  check.alarms = split(record.note, '\n');
  check.verdict = check.alarms.front();
  check.alarms.erase(check.alarms.begin());
  check.real_success = optional_interval(measures, "real_success");
  check.gap = optional_interval(measures, "gap");
  check.logged_success = optional_interval(measures, "logged_success");
  check.above_logs = optional_interval(measures, "above_logs");
  if (measures.contains("confirmed_share")) {
    check.confirmed_share = measures.at("confirmed_share");
  }
  if (measures.contains("second_looks_agree")) {
    check.second_looks_agree = measures.at("second_looks_agree");
  }
  if (measures.contains("contradictions_per_episode")) {
    check.contradictions_per_episode = measures.at("contradictions_per_episode");
  }
  return check;
}

ArmResult arm_result(const std::string& arm, const std::string& title, const StageRecord& record) {
  ArmResult result;
  result.arm = arm;
  result.title = title;
  result.num_tasks = record.outcomes.size();
  const auto successes = static_cast<std::size_t>(
      std::count_if(record.outcomes.begin(), record.outcomes.end(), [](double o) { return o > 0; }));
  result.success = to_interval(wilson_interval(successes, record.outcomes.size()));
  // Rewards of 0 and 1 have nothing to say beyond success.
  const auto mean_return = record.measures.find("mean_return");
  if (mean_return != record.measures.end() &&
      std::abs(mean_return->second - result.success.value) > 1e-9) {
    result.mean_return = mean_return->second;
  }
  for (const auto& [name, value] : record.measures) {
    if (record.measures.contains(name + "_low")) {
      result.by_type[name] = interval_of(record.measures, name);
    }
  }
  return result;
}

}  // namespace

// What went wrong in a stage of training, a note each.
void Experiment::add_alarms(const std::string& stage, RunResults& results) const {
  if (log_.done(stage) && !log_.record(stage).note.empty()) {
    for (const std::string& alarm : split(log_.record(stage).note, '\n')) {
      results.notes.push_back(fmt::format("Alarm ({}): {}", stage, alarm));
    }
  }
}

RunResults Experiment::summarise() {
  RunResults results;
  results.world = config_.world;
  results.seed = config_.seed;
  results.real_evaluation = world_ != nullptr;
  std::size_t demonstrated = 0;
  for (const Trajectory& story : data_.demonstrations) {
    demonstrated += story.steps.size();
  }
  for (const auto& [arm, title, stages] : arm_titles()) {
    const std::string stage = std::string("evaluate_") + arm;
    if (!log_.done(stage)) {
      continue;
    }
    ArmResult result = arm_result(arm, title, log_.record(stage));
    const auto add = [&](const std::string& part) {
      if (log_.done(part)) {
        const StageRecord& record = log_.record(part);
        result.real_steps += record.real_steps;
        result.dreamed_steps += record.dreamed_steps;
        result.tokens += record.tokens;
        result.seconds += record.seconds;
      }
    };
    result.offline_steps = stages.empty() ? 0 : data_.offline_steps;
    for (const std::string& part : stages) {
      add(part);
    }
    results.arms.push_back(std::move(result));
  }
  for (const auto& [a, b] : arm_pairs()) {
    const std::string stage_a = std::string("evaluate_") + a;
    const std::string stage_b = std::string("evaluate_") + b;
    if (log_.done(stage_a) && log_.done(stage_b)) {
      const auto& outcomes_a = log_.record(stage_a).outcomes;
      const auto& outcomes_b = log_.record(stage_b).outcomes;
      if (outcomes_a.size() == outcomes_b.size() && outcomes_a.size() >= 2) {
        results.paired.push_back(
            {a, b, to_interval(paired_difference(outcomes_a, outcomes_b)), outcomes_a.size()});
      }
    }
  }
  results.fidelity = log_.record("fidelity").measures;
  const std::string& misses = log_.record("fidelity").note;
  for (std::size_t begin = 0; begin < misses.size();) {
    const std::size_t end = std::min(misses.find('\n', begin), misses.size());
    results.fidelity_misses.push_back(misses.substr(begin, end - begin));
    begin = end + 1;
  }
  if (log_.done("check")) {
    results.check = check_result(log_.record("check"));
    for (const auto& [name, value] : log_.record("check").measures) {
      if (name.starts_with("luck_") || name.starts_with("replay_") || name.starts_with("dream_")) {
        results.fidelity[name] = value;
      }
    }
  }
  const bool probed = log_.done("dream") && log_.record("dream").real_steps > 0;
  results.notes.push_back(fmt::format(
      "{}: the experience model saw {} offline real transitions ({} of them imitated "
      "by the start policy).",
      probed ? fmt::format("{} online real steps, all of them probes", log_.record("dream").real_steps)
             : "0 online real steps",
      data_.offline_steps,
      demonstrated));
  for (const std::string& alarm : results.check ? results.check->alarms : std::vector<std::string>()) {
    results.notes.push_back("Alarm: " + alarm);
  }
  for (const PolicyStage& stage : policy_stages(config_)) {
    add_alarms(stage.name, results);
  }
  for (const char* stage : {"traditional_equal", "dream_uniform"}) {
    add_alarms(stage, results);
  }
  if (!results.real_evaluation) {
    results.notes.emplace_back("world = none: there is no engine, so nothing here was checked against reality.");
  }
  write_results(folder_, results);
  return results;
}

}  // namespace dreamgym
