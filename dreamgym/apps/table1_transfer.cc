#include "dreamgym/apps/table1_transfer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/apps/domain_vocabulary.h"
#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/grid_cells.h"
#include "dreamgym/apps/imitation.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_policy.h"
#include "dreamgym/apps/table1.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/policy_panel.h"

namespace dreamgym {
namespace {

struct Candidate {
  const char* policy;  // model of the run, or "random", or "sft" of the other world
  const char* title;
};

constexpr Candidate kCandidates[] = {{"random", "Random"},
                                     {"zero_shot", "Zero-shot (the base model)"},
                                     {"sft", "SFT, trained there"},
                                     {"start", "SFT, trained here"},
                                     {"dream", "GRPO, DreamGym, trained here"},
                                     {"s2r", "GRPO, DreamGym-S2R, trained here"}};

std::string stage_name(const std::string& world, const std::string& policy) {
  return fmt::format("transfer_{}_{}", world, policy);
}

// Few logs: they are only the demonstrations of the policy trained there.
constexpr const char* kAlfworld = R"(
world = "alfworld"
[data]
train_tasks = 300
eval_tasks = 200
collect_episodes = 300
)";
constexpr const char* kWebshop = R"(
world = "webshop"
max_steps = 12
[data]
train_split = "train"
eval_split = "test"
train_tasks = 400
eval_tasks = 200
collect_episodes = 400
demonstrations = 120
[data.world_options]
mode = "abstract"
products = "500"
instructions = "4"
[base]
name_words = 320
)";

// The policy that imitates demonstrations of the other world, from the base of the run.
void train_there(const Path& folder,
                 const ExperimentConfig& other,
                 const World& world,
                 ProgressSink& progress) {
  const Rng rng = Rng(other.seed).fork("transfer");
  const ExperimentData data = prepare_data(other, &world, folder, rng.fork("data"), progress);
  const ModelFiles base =
      other.base.model.empty()
          ? fresh_model(data.offline, other.base.preset, rng.fork("weights").next())
          : load_model(find_model(other.base.model));
  const DomainModel domain =
      adapt_vocabulary(base, data.offline, vocabulary_plan(other.base), rng.fork("vocabulary"));
  PolicyModel start =
      other.policy.model.empty()
          ? policy_of(domain.model)
          : load_policy(other.policy.model, chat_of(other.policy));
  (void)imitate(std::move(start),
                data.demonstrations,
                other,
                other.start_sft,
                domain.content_names,
                rng,
                {"transfer", nullptr, &progress, nullptr, folder / "checkpoints"},
                folder / "sft");
}

PanelResult play(const std::optional<Path>& model,
                 const ExperimentConfig& other,
                 const World& world,
                 std::span<const Task> tasks) {
  const Rng rng = Rng(other.seed).fork("transfer panel");
  PanelOptions options;
  options.max_steps = other.max_steps;
  options.num_threads = other.threads;
  if (!model) {
    const auto policy = world.make_policy(PolicyKind::kRandom, 0.0);
    const auto environment = world.make_environment();
    return evaluate_scripted(*policy, *environment, tasks, rng, options);
  }
  RunPolicy policy(*model, other, other.threads);
  SingleEnvironmentBatch environment([&] { return world.make_environment(); }, other.threads);
  const auto mappers = world.make_action_mapper_factory();
  return evaluate_agent(policy.agent(), environment, mappers.get(), tasks, rng, options);
}

}  // namespace

ExperimentConfig transfer_config(const std::string& target,
                                 const ExperimentConfig& home,
                                 const std::string& scale) {
  const std::string name =
      !target.empty() ? target : (home.world == "alfworld" ? "webshop" : "alfworld");
  const bool is_world = std::ranges::find(table1_worlds(), name) != table1_worlds().end();
  if (!is_world && !std::filesystem::exists(name)) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--transfer: no world and no file '{}'", name),
                fmt::format("the worlds are {}; or name a TOML file with another's settings",
                            join(table1_worlds(), ", ")));
  }
  const ConfigValues values =
      is_world ? ConfigValues::from_text(name == "webshop" ? kWebshop : kAlfworld, "--transfer " + name)
               : ConfigValues::from_file(name);
  ExperimentConfig other = default_experiment();
  bind_experiment(other, values);
  if (other.world == home.world) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--transfer: {} is the world the policies are trained in", other.world),
                "name another one");
  }
  other.seed = home.seed;
  other.threads = home.threads;
  other.base.model = home.base.model;
  other.base.preset = home.base.preset;
  other.policy = home.policy;
  other.agent = home.agent;
  other.evaluation.temperature = home.evaluation.temperature;
  if (scale == "tiny") {
    other.data.train_tasks = 20;
    other.data.collect_episodes = 40;
    other.data.demonstrations = 8;
    other.data.eval_tasks = 8;
    other.max_steps = std::min<std::size_t>(other.max_steps, 8);
    other.start_sft.epochs = 1;
  }
  return other;
}

void evaluate_transfer(const Path& run_folder, const ExperimentConfig& other, ProgressSink& progress) {
  const FolderLock lock(run_folder);
  StageLog log(run_folder);
  const auto world = experiment_world(other);
  const std::vector<Task> tasks =
      world->tasks(world_options(other, other.data.eval_split, other.data.eval_tasks));
  const Path folder = run_folder / ("transfer_" + other.world);
  for (const auto& [policy, title] : kCandidates) {
    const std::string stage = stage_name(other.world, policy);
    const bool is_there = std::string_view(policy) == "sft";
    std::optional<Path> model;
    if (std::string_view(policy) != "random") {
      model = is_there ? folder / "sft" : run_folder / "models" / policy;
    }
    if (log.done(stage) || (model && !is_there && !std::filesystem::exists(*model))) {
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    if (is_there && !std::filesystem::exists(*model)) {
      train_there(folder, other, *world, progress);
    }
    const PanelResult result = play(model, other, *world, tasks);
    StageRecord record;
    record.outcomes = result.outcomes();
    record.measures["mean_return"] = result.mean_return;
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    log.finish(stage, std::move(record), log.recorder_state());
    progress.note(fmt::format("{} in {}: {:.1f}% of {} tasks, mean return {:.3f}",
                              title,
                              other.world,
                              100 * result.success.value,
                              tasks.size(),
                              result.mean_return));
  }
}

std::vector<GridTransfer> transfer_rows(const std::string& world, std::span<const StageLog> logs) {
  std::vector<GridTransfer> rows;
  for (const auto& [policy, title] : kCandidates) {
    GridTransfer row{.policy = title};
    std::vector<const std::vector<double>*> outcomes;
    for (const StageLog& log : logs) {
      const std::string stage = stage_name(world, policy);
      if (log.done(stage)) {
        const StageRecord& record = log.record(stage);
        outcomes.push_back(&record.outcomes);
        row.mean_return += record.measures.at("mean_return");
        row.num_tasks = record.outcomes.size();
      }
    }
    if (outcomes.empty()) {
      continue;
    }
    row.mean_return /= static_cast<double>(outcomes.size());
    const SeedSuccess success = success_over_seeds(outcomes);
    row.seeds = success.seeds;
    row.success = success.interval;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace dreamgym
