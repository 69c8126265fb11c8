// ALFWorld: loading, resetting, stepping with the admissible commands. Every result is checked.
//
// Peer (alfworld 0.4.2 on TextWorld 1.7.0, one core): 7.4 steps/s with admissible commands, first
// load of a game 0.83 + 0.88 s, 13 MB an environment.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <stdexcept>

#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/alfworld/alfworld_environment.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/game_writer.h"
#include "dreamgym/worlds/alfworld/house_generator.h"
#include "dreamgym/worlds/alfworld/real_data.h"

namespace dreamgym::alfworld {
namespace {

void require(bool holds, const char* what) {
  if (!holds) {
    throw std::runtime_error(what);
  }
}

/// A real game where there is one, else a generated house of real size.
std::string game_file() {
  const auto folder = real_split_folder("valid_seen");
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().filename() == "game.tw-pddl") {
        return read_file(entry.path());
      }
    }
  }
  GeneratedId id;
  id.options.min_receptacles = id.options.max_receptacles = 30;
  return game_file_text(generate_game(id), Dialect::kV04);
}

void load(benchmark::State& state) {
  const std::string file = game_file();
  for (auto _ : state) {
    const auto game = parse_game(file, "benchmark");
    require(game->opening_text.size() > 100, "the opening is there");
    benchmark::DoNotOptimize(game);
  }
}
BENCHMARK(load)->Unit(benchmark::kMillisecond);

/// A random walk over the admissible commands; a new episode each 50 steps.
void step_with_admissible(benchmark::State& state) {
  const auto game = parse_game(game_file(), "benchmark");
  Rng rng(1);
  GameState episode = game->initial;
  std::vector<std::string> commands;
  list_commands(*game, episode, commands);
  std::string reply;
  std::int64_t steps = 0;
  std::int64_t admissible = 0;
  for (auto _ : state) {
    if (++steps % 50 == 0) {
      episode = game->initial;
      list_commands(*game, episode, commands);
    }
    const std::string command = rng.choose(commands);
    reply.clear();
    require(play_command(*game, episode, command, reply).has_value(), "what is listed is possible");
    list_commands(*game, episode, commands);
    admissible += static_cast<std::int64_t>(commands.size());
    benchmark::DoNotOptimize(goal_reached(*game, episode));
  }
  state.SetItemsProcessed(steps);
  state.counters["admissible"] = static_cast<double>(admissible) / static_cast<double>(steps);
  state.counters["state_bytes"] =
      static_cast<double>(sizeof(GameState) + 8 * episode.bits.size() + episode.conditions.size());
}
BENCHMARK(step_with_admissible);

Task benchmark_task(const std::filesystem::path& path) {
  Task task;
  task.world = "alfworld";
  task.settings["game"] = path.string();
  return task;
}

/// A file that lives as long as the benchmark.
class TemporaryGame {
 public:
  TemporaryGame() : path_(std::filesystem::temp_directory_path() / "dreamgym-bench.tw-pddl") {
    write_file(path_, game_file());
  }
  ~TemporaryGame() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryGame(const TemporaryGame&) = delete;
  TemporaryGame& operator=(const TemporaryGame&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void environment_reset(benchmark::State& state) {
  const TemporaryGame file;
  AlfworldEnvironment environment(std::make_shared<GameLibrary>());
  const Task task = benchmark_task(file.path());
  environment.reset(task, 0);
  for (auto _ : state) {
    const Observation first = environment.reset(task, 0);
    require(!first.admissible.empty(), "commands are listed");
    benchmark::DoNotOptimize(first);
  }
}
BENCHMARK(environment_reset)->Unit(benchmark::kMicrosecond);

void environment_step(benchmark::State& state) {
  const TemporaryGame file;
  AlfworldEnvironment environment(std::make_shared<GameLibrary>());
  const Task task = benchmark_task(file.path());
  Rng rng(1);
  Observation observation = environment.reset(task, 0);
  std::int64_t steps = 0;
  for (auto _ : state) {
    StepResult result = environment.step(rng.choose(observation.admissible));
    require(result.action_valid, "what is listed is possible");
    observation = std::move(result.observation);
    if (++steps % 50 == 0 || result.terminated) {
      observation = environment.reset(task, 0);
    }
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(environment_step);

void generate(benchmark::State& state) {
  GeneratedId id;
  for (auto _ : state) {
    ++id.house;
    const auto game = build_game(generate_game(id), "generated", Dialect::kV04);
    require(!game->objects.empty(), "there are things in the house");
    benchmark::DoNotOptimize(game);
  }
}
BENCHMARK(generate)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dreamgym::alfworld

BENCHMARK_MAIN();
