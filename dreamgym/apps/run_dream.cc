#include "dreamgym/apps/run_dream.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/apps/run_description.h"
#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {

RunDream::RunDream(const Path& run_folder, std::size_t threads) {
  const ExperimentConfig config = read_run_config(run_folder);
  const Path model = run_folder / "models" / "experience";
  if (!std::filesystem::exists(model)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} has no experience model yet", run_folder.string()),
                "let the run get past its first stage");
  }
  model_ = load_model(model);
  engine_ = std::make_unique<GenerationEngine>(
      model_.weights,
      model_.tokenizer,
      EngineConfig{.num_threads = threads, .cache_budget_bytes = config.cache_megabytes << 20});
  buffer_ = std::make_unique<ReplayBuffer>(std::make_shared<HashedNgramEmbedder>(),
                                           run_folder / "experience.sqlite");
  const auto offline = read_trajectories(run_folder / "data" / "offline.jsonl");
  tasks_ = tasks_of_logs(offline);
  const auto world = experiment_world(config);
  mappers_ = experiment_mappers(world.get(), offline);
  dream_ = std::make_unique<ExperienceModel>(*engine_,
                                             model_.tokenizer,
                                             buffer_.get(),
                                             config.experience,
                                             world != nullptr ? world->make_episode_auditor() : nullptr);
}

std::vector<Observation> RunDream::reset(std::span<const Task> tasks,
                                         std::span<const std::uint64_t> seeds) {
  return dream_->reset(tasks, seeds);
}

std::vector<StepResult> RunDream::step(std::span<const std::size_t> slots,
                                       std::span<const Action> actions) {
  return dream_->step(slots, actions);
}

}  // namespace dreamgym
