#include "dreamgym/apps/experience_refresh.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/apps/experience_lessons.h"
#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/replay_memory.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/apps/run_fidelity.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/apps/run_recorder.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr const char* kPhase = "refresh";

void require_trained_model(const Path& run, const ExperimentConfig& config) {
  if (is_prompted(config)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} trains no experience model: a prompted one dreams", run.string()),
                "add the new episodes to its logs instead");
  }
  if (!std::filesystem::exists(run / "models" / "experience")) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} has no experience model yet", run.string()),
                "let the run get past its first stage");
  }
}

std::vector<Trajectory> own_held_out(const Path& run) {
  const Path file = run / "data" / "held_out.jsonl";
  return std::filesystem::exists(file) ? read_run_trajectories(file) : std::vector<Trajectory>();
}

std::map<std::string, double> measured(const RefreshRequest& request,
                                       const ExperimentConfig& config,
                                       const std::vector<Trajectory>& held_out) {
  if (held_out.empty()) {
    return {};
  }
  RunDream dream(request.run, config.threads);
  return fidelity_measures(dream.dreamer().fidelity(held_out, dream.mappers()));
}

}  // namespace

ExperienceRefresh refresh_experience(const RefreshRequest& request, ProgressSink& progress) {
  ExperimentConfig config = read_run_config(request.run);
  require_trained_model(request.run, config);
  const FolderLock lock(request.run);
  const auto world = experiment_world(config);
  config.data.logs = {request.logs};
  config.data.logs_format = "canonical";
  std::vector<Trajectory> fresh = explained_logs(config, world.get(), progress);
  const Rng rng = Rng(config.seed).fork(kPhase);
  Rng draw = rng.fork("held out");
  std::vector<Trajectory> held_out = own_held_out(request.run);
  std::vector<Trajectory> taught;
  for (Trajectory& story : fresh) {
    (draw.uniform() < request.held_out_share ? held_out : taught).push_back(std::move(story));
  }
  if (taught.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} holds nothing new to teach", request.logs),
                "give it more episodes, or a smaller --held-out");
  }
  ExperienceRefresh out;
  out.taught = taught.size();
  out.held_out = held_out.size();
  out.before = measured(request, config, held_out);

  const Path folder = request.run / "models" / "experience";
  const ModelFiles model = load_run_model(folder);
  const auto buffer = open_run_buffer(config.replay, request.run);
  buffer->add(taught);
  std::vector<Trajectory> stories = read_run_trajectories(request.run / "data" / "offline.jsonl");
  std::ranges::move(taught, std::back_inserter(stories));
  SftConfig sft = config.experience_sft;
  sft.epochs = request.epochs;
  const TeachingPlan plan =
      epoch_plan(experience_lessons(config, model.tokenizer, stories, tasks_of_logs(stories), *buffer, rng),
                 sft,
                 rng.fork("order"),
                 {});
  TrainableModel learner(model.weights, config.threads);
  RunRecorder recorder(request.run, nullptr, 0);
  out.sft = train_sft(learner, plan, sft, {kPhase, &recorder, &progress, nullptr, std::nullopt});

  out.kept = request.run / "models" / "experience_before";
  std::filesystem::remove_all(out.kept);
  std::filesystem::copy(folder, out.kept, std::filesystem::copy_options::recursive);
  save_model({learner.weights("experience-refreshed"), model.tokenizer}, folder);
  out.after = measured(request, config, held_out);
  return out;
}

std::string refresh_table(const ExperienceRefresh& refresh) {
  std::string text = fmt::format("{} new episodes taught in {} updates; the model as it was: {}\n",
                                 refresh.taught,
                                 refresh.sft.updates,
                                 refresh.kept.string());
  if (refresh.before.empty()) {
    return text + "nothing is held out, so nothing was measured\n";
  }
  text += fmt::format("{:<36} {:>8} {:>8}\n", fmt::format("on {} held-out episodes", refresh.held_out), "before", "after");
  for (const auto& [name, value] : refresh.before) {
    text += fmt::format("{:<36} {:>8.4g} {:>8.4g}\n", name, value, refresh.after.at(name));
  }
  return text;
}

}  // namespace dreamgym
