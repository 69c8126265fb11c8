#include "dreamgym/apps/grid_cells.h"

#include <algorithm>
#include <numeric>

#include "dreamgym/apps/arm_titles.h"
#include "dreamgym/apps/to_interval.h"
#include "dreamgym/base/error.h"
#include "dreamgym/eval/statistics.h"

namespace dreamgym {
namespace {

const std::vector<double>* outcomes_of(const StageLog& log, const std::string& arm) {
  const std::string stage = "evaluate_" + arm;
  return log.done(stage) ? &log.record(stage).outcomes : nullptr;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Adds what the arm cost in one run, as its share of a mean over `num_runs`.
void add_cost(const ArmTitle& arm, const StageLog& log, double num_runs, GridRow& row) {
  if (!arm.stages.empty()) {
    const auto read = stage_measure(log, "prepare", "experience_steps");
    row.offline_steps += read.value_or(stage_measure(log, "prepare", "offline_steps").value_or(0)) / num_runs;
  }
  for (const std::string& stage : arm.stages) {
    if (!log.done(stage)) {
      continue;
    }
    const StageRecord& record = log.record(stage);
    row.online_steps += static_cast<double>(record.real_steps) / num_runs;
    row.dreamed_steps += static_cast<double>(record.dreamed_steps) / num_runs;
    row.tokens += static_cast<double>(record.tokens) / num_runs;
    row.seconds += record.seconds / num_runs;
    row.rollout_seconds += (stage_measure(log, stage, "environment_seconds").value_or(0) +
                            stage_measure(log, stage, "agent_seconds").value_or(0)) /
                           num_runs;
    row.update_seconds += stage_measure(log, stage, "update_seconds").value_or(0) / num_runs;
    row.peak_bytes = std::max(row.peak_bytes, record.peak_bytes);
  }
}

}  // namespace

std::optional<double> stage_measure(const StageLog& log, const std::string& stage, const std::string& name) {
  if (!log.done(stage)) {
    return std::nullopt;
  }
  const auto& measures = log.record(stage).measures;
  const auto found = measures.find(name);
  return found == measures.end() ? std::nullopt : std::optional(found->second);
}

SeedSuccess success_over_seeds(std::span<const std::vector<double>* const> outcomes) {
  check(!outcomes.empty(), "a seed to take the mean over");
  SeedSuccess out;
  std::size_t solved = 0;
  for (const std::vector<double>* of_seed : outcomes) {
    solved = static_cast<std::size_t>(
        std::ranges::count_if(*of_seed, [](double outcome) { return outcome > 0; }));
    out.seeds.push_back(static_cast<double>(solved) / static_cast<double>(of_seed->size()));
  }
  out.interval = to_interval(out.seeds.size() >= 2 ? mean_over_seeds(out.seeds)
                                                   : wilson_interval(solved, outcomes[0]->size()));
  return out;
}

void fill_measured(const CellRuns& cell, GridRow& row) {
  const auto title = std::ranges::find(arm_titles(), cell.arm, &ArmTitle::name);
  check(title != arm_titles().end(), "an arm of the table");
  std::vector<const StageLog*> run;
  std::vector<const std::vector<double>*> outcomes;
  for (const StageLog& log : cell.logs) {
    if (const auto* of_seed = outcomes_of(log, cell.arm); of_seed != nullptr && !of_seed->empty()) {
      row.num_tasks = of_seed->size();
      outcomes.push_back(of_seed);
      run.push_back(&log);
    }
  }
  for (const StageLog* log : run) {
    add_cost(*title, *log, static_cast<double>(run.size()), row);
  }
  if (!outcomes.empty()) {
    SeedSuccess success = success_over_seeds(outcomes);
    row.seeds = std::move(success.seeds);
    row.success = success.interval;
  }
}

std::optional<GridPair> compare_cells(const std::string& name_a,
                                      const CellRuns& a,
                                      const std::string& name_b,
                                      const CellRuns& b) {
  GridPair pair;
  pair.a = name_a;
  pair.b = name_b;
  std::vector<double> all_a;
  std::vector<double> all_b;
  for (std::size_t i = 0; i < std::min(a.logs.size(), b.logs.size()); ++i) {
    const auto* of_a = outcomes_of(a.logs[i], a.arm);
    const auto* of_b = outcomes_of(b.logs[i], b.arm);
    if (of_a != nullptr && of_b != nullptr && of_a->size() == of_b->size()) {
      pair.seeds.push_back(mean(*of_a) - mean(*of_b));
      all_a.insert(all_a.end(), of_a->begin(), of_a->end());
      all_b.insert(all_b.end(), of_b->begin(), of_b->end());
    }
  }
  if (all_a.size() < 2) {
    return std::nullopt;
  }
  pair.pooled = to_interval(paired_difference(all_a, all_b));
  pair.p_value = paired_sign_test(all_a, all_b);
  if (pair.seeds.size() >= 2) {
    pair.over_seeds = to_interval(mean_over_seeds(pair.seeds));
  }
  return pair;
}

}  // namespace dreamgym
