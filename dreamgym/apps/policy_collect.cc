#include "dreamgym/apps/policy_collect.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/base/error.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {

Path policy_folder(const std::string& name) {
  const Path path = name;
  if (std::filesystem::exists(path / "config.json") ||
      (path.extension() == ".gguf" && std::filesystem::exists(path))) {
    return path;
  }
  for (const char* model : {"s2r", "dream", "start"}) {
    if (std::filesystem::exists(path / "models" / model / "model.safetensors")) {
      return path / "models" / model;
    }
  }
  const Path inside = path.parent_path() / "models" / path.filename();
  if (std::filesystem::exists(inside / "model.safetensors")) {
    return inside;
  }
  throw Error(ErrorKind::kNotFound,
              fmt::format("no policy '{}'", name),
              "name a run folder, RUN/MODEL (s2r, dream, traditional, start), a model folder, a .gguf "
              "file, or one of expert, noisy, random");
}

namespace {

// What the policy of a run reads; a bare model folder says nothing, and its policy reads everything.
std::size_t history_steps(const Path& model) {
  for (const Path& run : {model, model.parent_path().parent_path()}) {
    if (std::filesystem::exists(run / "config.toml")) {
      return read_run_config(run).agent.history_steps;
    }
  }
  return kWholeEpisode;
}

}  // namespace

PanelResult evaluate_policy(const World& world,
                            const PolicyPlay& play,
                            std::span<const Task> tasks,
                            std::uint64_t seed,
                            const PanelOptions& options) {
  const Path folder = policy_folder(play.policy);
  PolicyModel policy = load_policy(folder, play.chat);
  GenerationEngine engine(policy.model.weights,
                          policy.language.tokenizer,
                          {.num_threads = options.num_threads,
                           .weights = play.weights,
                           .cache = play.cache});
  give_adapter(policy.model.adapter, engine);
  policy.model.weights.arrays.clear();  // the engine has its own
  TokenAgent agent(engine,
                   policy.prompt,
                   {.temperature = play.temperature, .history_steps = history_steps(folder)});
  SingleEnvironmentBatch environment([&] { return world.make_environment(); }, options.num_threads);
  const auto mappers = world.make_action_mapper_factory();
  return evaluate_agent(agent, environment, mappers.get(), tasks, Rng(seed).fork("panel"), options);
}

std::vector<Trajectory> collect_with_policy(const World& world,
                                            const PolicyPlay& play,
                                            const CollectOptions& options) {
  const std::vector<Task> available = world.tasks(options.tasks);
  if (available.empty()) {
    throw Error(ErrorKind::kNotFound, "the split has no tasks");
  }
  std::vector<Task> tasks;
  const std::size_t count = options.num_episodes == 0 ? available.size() : options.num_episodes;
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back(available[i % available.size()]);
  }
  PanelOptions panel;
  panel.max_steps = options.max_steps;
  panel.num_threads = options.num_threads;
  PanelResult played = evaluate_policy(world, play, tasks, options.seed, panel);
  const auto explainer = world.make_explainer();
  std::vector<Trajectory> stories;
  for (Episode& episode : played.episodes) {
    if (options.explain) {
      explainer->explain(episode.trajectory);
    }
    stories.push_back(std::move(episode.trajectory));
  }
  return stories;
}

}  // namespace dreamgym
