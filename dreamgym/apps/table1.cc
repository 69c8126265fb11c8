#include "dreamgym/apps/table1.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/apps/arm_titles.h"
#include "dreamgym/apps/grid_cells.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/stage_log.h"
#include "dreamgym/apps/table1_transfer.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/report/run_folder.h"

namespace dreamgym {
namespace {

constexpr std::size_t kBackbones = 3;
using Figures = std::array<double, kBackbones>;

const std::vector<std::string> kBackboneNames = {"Llama-3.2-3B", "Llama-3.1-8B", "Qwen-2.5-7B"};

struct Method {
  const char* arm;
  const char* name;
  const char* real;                   // transitions in the paper; "" = it has no such row
  Figures alfworld;                   // percent
  Figures webshop;
};

// Source: DreamGym (arXiv 2511.03773) Table 1.
constexpr Method kMethods[] = {
    {"random", "Random", "", {}, {}},
    {"zero_shot", "Zero-shot", "", {}, {}},
    {"start", "SFT on the demonstrations (the start)", "", {}, {}},
    {"sft_all", "SFT on all logged successes", "20K", {61.7, 68.0, 71.8}, {32.0, 35.1, 32.9}},
    {"dpo", "DPO", "40K", {63.3, 63.9, 61.1}, {35.9, 31.0, 34.8}},
    {"traditional", "GRPO, traditional", "80K", {65.3, 70.9, 79.8}, {62.1, 65.0, 66.1}},
    {"traditional_equal", "GRPO, traditional, S2R's real steps", "", {}, {}},
    {"dream", "GRPO, DreamGym", "0", {62.1, 66.3, 71.0}, {59.3, 63.9, 68.3}},
    {"dream_uniform", "GRPO, DreamGym without curriculum", "", {}, {}},
    {"s2r", "GRPO, DreamGym-S2R", "5K", {65.0, 75.9, 82.4}, {70.5, 75.0, 72.1}},
    {"traditional_ppo", "PPO, traditional", "80K", {47.0, 72.9, 81.1}, {59.9, 64.2, 68.1}},
    {"dream_ppo", "PPO, DreamGym", "0", {40.5, 70.8, 72.7}, {60.5, 58.1, 65.0}},
    {"s2r_ppo", "PPO, DreamGym-S2R", "5K", {49.1, 73.3, 79.9}, {66.0, 63.9, 73.7}}};

const char* method_name(const std::string& arm) {
  for (const Method& method : kMethods) {
    if (arm == method.arm) {
      return method.name;
    }
  }
  throw LogicError("an arm of the grid");
}

GridRow grid_row(const Method& method, const std::string& world, std::span<const StageLog> logs) {
  GridRow row;
  row.method = method.name;
  row.published_real = method.real;
  if (!row.published_real.empty()) {
    for (const double percent : world == "webshop" ? method.webshop : method.alfworld) {
      row.published.push_back(percent / 100);
    }
  }
  fill_measured({method.arm, logs}, row);
  return row;
}

// Where an arm's own stage of reinforcement learning spent its time and what it brought, iteration by
// iteration.
GridCurve grid_curve(const Method& method, const Path& folder, const StageLog& log) {
  const auto title = std::ranges::find(arm_titles(), method.arm, &ArmTitle::name);
  GridCurve curve{.method = method.name,
                  .dreamed = std::string_view(method.arm).starts_with("dream"),
                  .points = {}};
  double seconds = 0;
  for (const std::string& stage : title->stages) {
    seconds += stage != method.arm && log.done(stage) ? log.record(stage).seconds : 0;
  }
  const std::vector<MetricSeries> metrics = read_run_folder(folder, {.max_episodes = 1}).metrics;
  const auto series = [&](std::string_view name) {
    std::map<std::uint64_t, double> points;
    for (const MetricSeries& one : metrics) {
      if (one.phase == method.arm && one.name == name) {
        points.insert(one.points.begin(), one.points.end());
      }
    }
    return points;
  };
  const auto times = series("time/iteration_seconds");
  const auto steps = series("rollout/environment_steps");
  double online = 0;
  std::optional<double> smoothed;
  for (const auto& [step, success] : series("rollout/success_share")) {
    smoothed = smoothed ? 0.7 * *smoothed + 0.3 * success : success;
    seconds += times.contains(step) ? times.at(step) : 0;
    online += !curve.dreamed && steps.contains(step) ? steps.at(step) : 0;
    curve.points.push_back({seconds, online, *smoothed});
  }
  return curve;
}

void require_known(std::string_view what,
                   const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) == known.end()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: got '{}', expected one of {}", what, name, join(known, ", ")),
                fmt::format("the nearest is '{}'", nearest(name, known)));
  }
}

std::vector<std::string> notes_of(std::span<const StageLog> logs) {
  std::vector<std::string> notes = {
      "Published figures are for language models of 3 to 8 billion parameters on the benchmark "
      "itself; ours are for this run's model and world. The order of the methods can be compared, "
      "the levels can't.",
      "0 online real steps: the policy took none in the real world; the experience model it learned "
      "in had read the offline transitions. The paper prints this as 0 real data.",
      "Every policy but the zero-shot one begins with the experience model's weights "
      "(policies_from), and all RL arms with the SFT policy on the demonstrations.",
      "Intervals of a mean over seeds are Student's t at 95%; of a single seed Wilson's. The sign "
      "test takes the tasks of all seeds as independent, which flatters it where seeds differ.",
      "Seconds count the stages an arm builds on once each (experience model, start, dream); they "
      "are shared by the arms of a seed, so the sum of the column is more than what was spent. "
      "Evaluation is not counted. Peak memory is that of the whole process while the stages ran.",
      "Without curriculum: the original tasks only, each as often as the others; everything else is "
      "the DreamGym row's. The paper's Fig. 3 (right) leaves out task generation.",
      "Own rollouts are the time in environments (a dream's model included) and in the policy; own "
      "updates that of gradients. Fig. 3 (left) of the paper has the same split."};
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i].done("check")) {
      notes.push_back(fmt::format(
          "Free-running check, seed {}: {}.", i + 1, split(logs[i].record("check").note, '\n').front()));
    }
    if (logs[i].done("dpo")) {
      const auto& measures = logs[i].record("dpo").measures;
      notes.push_back(fmt::format("DPO, seed {}: {} pairs of a success and a failure on one task.",
                                  i + 1,
                                  measures.at("pairs")));
    }
  }
  return notes;
}

}  // namespace

const std::vector<std::string>& table1_worlds() {
  static const std::vector<std::string> kWorlds = {"alfworld", "webshop"};
  return kWorlds;
}

const std::vector<std::string>& table1_scales() {
  static const std::vector<std::string> kScales = {"tiny", "small", "paper"};
  return kScales;
}

std::vector<std::string> table1_settings(const std::string& scale) {
  require_known("--scale", scale, table1_scales());
  std::vector<std::string> arms;
  for (const Method& method : kMethods) {
    arms.emplace_back(method.arm);
  }
  // Some tasks are logged twice: a success and a failure of one task is what DPO compares.
  std::vector<std::string> settings = {"arms=" + join(arms, ","), "data.log_tasks=700"};
  const auto add = [&](std::initializer_list<const char*> more) {
    settings.insert(settings.end(), more.begin(), more.end());
  };
  if (scale == "paper") {
    add({"data.collect_episodes=2000",
         "data.train_tasks=2000",
         "data.log_tasks=1400",
         "traditional.step_budget=80000",
         "traditional_ppo.step_budget=80000",
         "s2r.step_budget=5000",
         "s2r_ppo.step_budget=5000"});
  } else if (scale == "tiny") {
    add({"base.model=",
         "base.preset=nano-s",
         "data.collect_episodes=40",
         "data.train_tasks=20",
         "data.log_tasks=20",
         "data.eval_tasks=10",
         "data.demonstrations=10",
         "data.held_out_share=0.2",
         "max_steps=8",
         "experience_sft.epochs=0.3",
         "start_sft.epochs=1",
         "all_sft.epochs=0.3",
         "check.tasks=4",
         "check.force=true",
         "evaluation.fidelity_episodes=2",
         "dream.iterations=2",
         "dream.tasks_per_iteration=2",
         "dream.group_size=2",
         "traditional.tasks_per_iteration=2",
         "traditional.group_size=2",
         "traditional.step_budget=64",
         "s2r.group_size=2",
         "s2r.step_budget=32",
         "dream_ppo.iterations=2",
         "dream_ppo.tasks_per_iteration=4",
         "traditional_ppo.tasks_per_iteration=4",
         "traditional_ppo.step_budget=64",
         "s2r_ppo.tasks_per_iteration=4",
         "s2r_ppo.step_budget=32"});
  }
  return settings;
}

Grid table1_grid(const Table1Request& request) {
  require_known("--world", request.world, table1_worlds());
  std::vector<StageLog> logs;
  for (const Path& folder : request.seed_folders) {
    logs.emplace_back(folder);
  }
  Grid grid;
  grid.title = fmt::format("Table 1 on {}, scale {}", request.world, request.scale);
  grid.command = request.command;
  grid.our_backbone = "own small model";
  grid.backbones = kBackboneNames;
  grid.num_seeds = logs.size();
  for (const Method& method : kMethods) {
    grid.rows.push_back(grid_row(method, request.world, logs));
    if (!logs.empty()) {
      GridCurve curve = grid_curve(method, request.seed_folders.front(), logs.front());
      if (!curve.points.empty()) {
        grid.curves.push_back(std::move(curve));
      }
    }
  }
  if (!request.transfer_world.empty()) {
    grid.transfer_world = request.transfer_world;
    grid.transfers = transfer_rows(request.transfer_world, logs);
  }
  for (const ArmPair& arms : arm_pairs()) {
    if (auto pair = compare_cells(
            method_name(arms.a), {arms.a, logs}, method_name(arms.b), {arms.b, logs})) {
      grid.pairs.push_back(*std::move(pair));
    }
  }
  grid.notes = notes_of(logs);
  if (!grid.transfers.empty()) {
    grid.notes.push_back(fmt::format(
        "Transfer: the policies of this table play held-out tasks of {} by the same prompt; words that are "
        "no tokens of their vocabulary are spelled out. \"Trained there\" imitates demonstrations of that "
        "world from the same base. Fig. 3 (middle) of the paper compares these two.",
        grid.transfer_world));
  }
  if (!request.seed_folders.empty()) {
    const ExperimentConfig config = read_run_config(request.seed_folders.front());
    grid.notes.push_back(fmt::format(
        "Algorithms of the GRPO rows: {} in reality, {} in the dream, {} in S2R (gigpo is GRPO with "
        "step advantages added). Settings: config.toml of each seed's folder.",
        config.traditional.algorithm,
        config.dream.algorithm,
        config.s2r.algorithm));
  }
  return grid;
}

}  // namespace dreamgym
