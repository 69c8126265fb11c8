#include "dreamgym/apps/run_dream.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/apps/replay_memory.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/base/error.h"

namespace dreamgym {

RunDream::RunDream(const Path& run_folder, std::size_t threads) : config_(read_run_config(run_folder)) {
  const Path model = run_folder / "models" / "experience";
  if (!is_prompted(config_) && !std::filesystem::exists(model)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} has no experience model yet", run_folder.string()),
                "let the run get past its first stage");
  }
  buffer_ = open_run_buffer(config_.replay, run_folder);
  const auto offline = read_run_trajectories(run_folder / "data" / "offline.jsonl");
  tasks_ = tasks_of_logs(offline);
  const auto world = experiment_world(config_);
  mappers_ = experiment_mappers(world.get(), offline);
  dreamer_ = make_dreamer({config_,
                           model,
                           buffer_.get(),
                           threads,
                           world != nullptr ? world->make_episode_auditor() : nullptr,
                           offline});
}

std::vector<Observation> RunDream::start(std::span<const std::size_t> slots,
                                         std::span<const Task> tasks,
                                         std::span<const std::uint64_t> seeds) {
  return dreamer_->dream().start(slots, tasks, seeds);
}

void RunDream::end_all() { dreamer_->dream().end_all(); }

std::vector<StepResult> RunDream::step(std::span<const std::size_t> slots,
                                       std::span<const Action> actions) {
  return dreamer_->dream().step(slots, actions);
}

}  // namespace dreamgym
