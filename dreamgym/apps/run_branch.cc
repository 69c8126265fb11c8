#include "dreamgym/apps/run_branch.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/stage_log.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// Everything a branch shares with the run it comes from.
const std::vector<std::string> kShared = {"prepare",
                                          "experience",
                                          "start",
                                          "fidelity",
                                          "check",
                                          "dream",
                                          "evaluate_random",
                                          "evaluate_start",
                                          "evaluate_dream"};

}  // namespace

ExperimentConfig branch_run(const BranchRequest& request) {
  if (request.budget_steps == 0) {
    throw Error(ErrorKind::kConfig,
                "--budget-steps 0: without real steps nothing is left to train",
                "give it the number of real steps that may be taken, e.g. --budget-steps 5000");
  }
  ExperimentConfig config = read_run_config(request.from);
  if (config.world == "none") {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} has no real world (world = \"none\")", request.from.string()),
                "real steps need an engine");
  }
  if (!StageLog(request.from).done("dream")) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} has not been trained in its dream yet", request.from.string()),
                "finish it first: dreamgym train CONFIG --run RUN --resume");
  }
  config.arms = {"random", "start", "dream", "s2r"};
  config.s2r.step_budget = request.budget_steps;
  config.s2r.dream_share = request.dream_share;
  if (!std::filesystem::exists(request.to / "config.toml")) {
    make_folder(request.to);
    for (const char* part : {"data", "experience.sqlite", "experience.sqlite-wal", "metrics.jsonl",
                             "episodes.jsonl", "progress.json"}) {
      if (std::filesystem::exists(request.from / part)) {
        std::filesystem::copy(request.from / part,
                              request.to / part,
                              std::filesystem::copy_options::recursive |
                                  std::filesystem::copy_options::overwrite_existing);
      }
    }
    for (const char* model : {"experience", "start", "dream", "dream_critic"}) {
      if (std::filesystem::exists(request.from / "models" / model)) {
        make_folder(request.to / "models");
        std::filesystem::copy(request.from / "models" / model,
                              request.to / "models" / model,
                              std::filesystem::copy_options::recursive |
                                  std::filesystem::copy_options::overwrite_existing);
      }
    }
    StageLog(request.to).keep_only(kShared);
    write_run_description(request.to, config);  // last: its presence says that the rest is there
  }
  return config;
}

}  // namespace dreamgym
