#include "dreamgym/apps/components.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/grid_cells.h"
#include "dreamgym/apps/stage_log.h"
#include "dreamgym/apps/table1.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/eval/judge.h"
#include "dreamgym/eval/statistics.h"

namespace dreamgym {
namespace {

constexpr const char* kArm = "dream";  // of a run, that the table compares

// One number a cell, of its stage log.
struct DreamMeasure {
  const char* title;
  const char* stage;
  const char* name;
};
constexpr DreamMeasure kDreamMeasures[] = {
    {"next state exact, determined by the past", "fidelity", "predictable_observation_exact"},
    {"reward right", "fidelity", "reward_correct"},
    {"start policy's success, dreamed", "check", "dreamed_success"},
    {"the same, real", "check", "real_success"},
    {"second looks that agree", "check", "second_looks_agree"},
    {"contradictions an episode", "check", "contradictions_per_episode"}};

// Source: DreamGym (arXiv 2511.03773) Fig. 4, read off its bars: consistency, diversity, informativeness,
// hallucination, 0 to 2.
struct PublishedJudgement {
  const char* arm;
  const char* scores;
};
constexpr PublishedJudgement kPublishedJudgements[] = {{"full", "1.6 / 1.5 / 1.6 / 1.7"},
                                                       {"no_history", "0.8 / 1.4 / 1.3 / 1.4"},
                                                       {"no_reasoning", "1.3 / 1.3 / 1.1 / 1.2"}};

// Logs of an arm's cells, seed by seed, up to the first that is not there.
std::vector<StageLog> logs_of(const ComponentsRequest& request, const std::string& arm) {
  std::vector<StageLog> logs;
  for (std::size_t seed = 1; seed <= request.num_seeds; ++seed) {
    const Path folder = component_cell(request.out, arm, seed);
    if (!std::filesystem::exists(folder)) {
      break;
    }
    logs.emplace_back(folder);
  }
  return logs;
}

std::string over_seeds(const std::vector<double>& values) {
  if (values.empty()) {
    return "-";
  }
  if (values.size() == 1) {
    return fmt::format("{:.3f}", values[0]);
  }
  const Estimate mean = mean_over_seeds(values);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", mean.value, mean.low, mean.high);
}

// Means of the four criteria over the steps of a cell's judgements.jsonl; nothing if it was not judged.
std::optional<std::array<double, kNumCriteria>> judged(const Path& cell) {
  const Path file = cell / "judge" / "judgements.jsonl";
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  std::array<double, kNumCriteria> sums{};
  double steps = 0;
  for_each_line(file, [&](std::size_t number, std::string_view text) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object()) {
      throw Error(ErrorKind::kCorrupt, fmt::format("{}:{}: is no judgement", file.string(), number), "remove the file; it is written again");
    }
    if (line.contains(kCriteria[0]) && line[kCriteria[0]].is_number()) {
      ++steps;
      for (std::size_t c = 0; c < kNumCriteria; ++c) {
        sums[c] += line.value(kCriteria[c], 0.0);
      }
    }
    return true;
  });
  for (double& sum : sums) {
    sum /= std::max(steps, 1.0);
  }
  return steps > 0 ? std::optional(sums) : std::nullopt;
}

std::string judged_text(const ComponentsRequest& request, const std::string& arm) {
  std::array<std::vector<double>, kNumCriteria> means;
  for (std::size_t seed = 1; seed <= request.num_seeds; ++seed) {
    if (const auto scores = judged(component_cell(request.out, arm, seed))) {
      for (std::size_t c = 0; c < kNumCriteria; ++c) {
        means[c].push_back((*scores)[c]);
      }
    }
  }
  if (means[0].empty()) {
    return "-";
  }
  std::vector<std::string> parts;
  for (const auto& values : means) {
    double sum = 0;
    for (const double value : values) {
      sum += value;
    }
    parts.push_back(fmt::format("{:.2f}", sum / static_cast<double>(values.size())));
  }
  return join(parts, " / ");
}

std::string published_judgement(const std::string& arm) {
  const auto found = std::ranges::find(kPublishedJudgements, arm, &PublishedJudgement::arm);
  return found == std::end(kPublishedJudgements) ? "-" : found->scores;
}

std::vector<std::string> notes() {
  return {"Every arm has the same logs, demonstrations, start policy, number of iterations and evaluation tasks. The policies "
          "begin with the base model (policies_from = base), so that the start does not depend on the arm.",
          "Published: Table 2 (its WebShop column is GRPO with Llama-3.1-8B, its WebArena column Llama-3.2-3B) and, for the "
          "sweep, Fig. 5 with Llama-3.1-8B, read off its curves (about 5 points either way). The paper has no success without "
          "history, and its samples are 2K, 10K, 20K and 40K transitions where ours are the same shares of our logs.",
          "Ours: a small model of our own, another world and another number of tasks: the order of the arms can be compared, "
          "the levels can't.",
          "The free-running check is overruled in every arm (check.force): an ablation whose dream fails it is trained in all "
          "the same.",
          "Without reasoning there is no stated goal, so no success can be verified (verify_success = false), as in the paper.",
          "Intervals of a mean over seeds are Student's t at 95%; of a single seed Wilson's."};
}

}  // namespace

const std::vector<ComponentArm>& component_arms() {
  static const std::vector<ComponentArm> kArms = {
      {"full", "Full DreamGym (all data)", {}, {0.639, 0.133}, "40K"},
      {"no_replay", "Without experience replay", {"experience.num_demonstrations=0"}, {0.592, 0.097}, "40K"},
      {"no_reasoning",
       "Without reasoning",
       {"experience.reasoning=false", "experience.verify_success=false"},
       {0.558, 0.073},
       "40K"},
      {"no_history",
       "Without history",
       {"experience.history_steps=0", "experience.num_recollections=0"},
       {},
       ""},
      {"no_task_generation", "Without task generation", {"curriculum.generated_share=0"}, {0.573, 0.073}, "40K"},
      {"data_5", "5% of the data", {"data.experience_share=0.05"}, {0.45, 0.09}, "2K"},
      {"data_25", "25% of the data", {"data.experience_share=0.25"}, {0.55, 0.11}, "10K"},
      {"data_50", "50% of the data", {"data.experience_share=0.5"}, {0.58, 0.12}, "20K"}};
  return kArms;
}

const std::vector<std::string>& component_backbones() {
  static const std::vector<std::string> kBackbones = {"WebShop", "WebArena-Lite"};
  return kBackbones;
}

std::vector<std::string> component_settings(const std::string& scale) {
  std::vector<std::string> settings = table1_settings(scale);
  settings.insert(settings.end(),
                  {"arms=random,start,dream", "policies_from=base", "check.force=true"});
  return settings;
}

Path component_cell(const Path& out, const std::string& arm, std::size_t seed) {
  return out / arm / fmt::format("seed-{}", seed);
}

Grid components_grid(const ComponentsRequest& request) {
  Grid grid;
  grid.title = fmt::format("Components on {}, scale {}", request.world, request.scale);
  grid.command = request.command;
  grid.our_backbone = "own small model";
  grid.backbones = component_backbones();
  grid.num_seeds = request.num_seeds;
  const std::vector<StageLog> full = logs_of(request, "full");
  GridRow start;
  start.method = "The start policy (SFT on the demonstrations)";
  fill_measured({"start", full}, start);
  grid.rows.push_back(std::move(start));
  for (const ComponentArm& arm : component_arms()) {
    const std::vector<StageLog> logs = logs_of(request, arm.name);
    GridRow row;
    row.method = arm.title;
    row.published = arm.published;
    row.published_real = arm.published_real;
    fill_measured({kArm, logs}, row);
    grid.rows.push_back(std::move(row));
    if (arm.name == "full") {
      if (auto pair = compare_cells(arm.title, {kArm, full}, "the start policy", {"start", full})) {
        grid.pairs.push_back(*std::move(pair));
      }
    } else if (auto pair = compare_cells(arm.title, {kArm, logs}, component_arms().front().title, {kArm, full})) {
      grid.pairs.push_back(*std::move(pair));
    }
  }
  grid.notes = notes();
  return grid;
}

std::string components_dreams(const ComponentsRequest& request) {
  std::string text = "\n### What each arm's dream is like\n\n| arm |";
  std::string rule = "|---|";
  for (const DreamMeasure& measure : kDreamMeasures) {
    text += fmt::format(" {} |", measure.title);
    rule += "---|";
  }
  text += " judged by rules: consistency / diversity / informativeness / hallucination (0 to 2) | Fig. 4 of the paper |\n" +
          rule + "---|---|\n";
  for (const ComponentArm& arm : component_arms()) {
    const std::vector<StageLog> logs = logs_of(request, arm.name);
    text += fmt::format("| {} |", arm.title);
    for (const DreamMeasure& measure : kDreamMeasures) {
      std::vector<double> values;
      for (const StageLog& log : logs) {
        if (const auto value = stage_measure(log, measure.stage, measure.name)) {
          values.push_back(*value);
        }
      }
      text += fmt::format(" {} |", over_seeds(values));
    }
    text += fmt::format(" {} | {} |\n", judged_text(request, arm.name), published_judgement(arm.name));
  }
  return text +
         "\nThe judge compares with the engine as far as a dreamed episode is a real one (`dreamgym eval judge`); the "
         "paper's judge is GPT-4o.\n";
}

}  // namespace dreamgym
