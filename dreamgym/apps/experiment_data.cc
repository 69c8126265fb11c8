#include "dreamgym/apps/experiment_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "dreamgym/apps/run_files.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/import.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/env/log_action_mapper.h"
#include "dreamgym/experience/log_explainer.h"
#include "dreamgym/experience/teacher.h"
#include "dreamgym/worlds/catalog.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

// How offline logs of mixed quality are made: who plays and how large a share of the episodes.
struct LogShare {
  PolicyKind policy;
  double noise;
  double share;
};
constexpr LogShare kLogMix[] = {{PolicyKind::kExpert, 0.0, 0.2},
                                {PolicyKind::kNoisy, 0.15, 0.3},
                                {PolicyKind::kNoisy, 0.4, 0.3},
                                {PolicyKind::kRandom, 0.0, 0.2}};

std::vector<Trajectory> collect_logs(const ExperimentConfig& config, const World& world, const Rng& rng) {
  std::vector<Trajectory> logs;
  std::size_t part = 0;
  // Each kind of agent plays tasks of its own, spread over all houses.
  const std::uint64_t order = rng.fork("task order").next() | 1U;
  std::size_t first_task = 0;
  for (const LogShare& mix : kLogMix) {
    CollectOptions options;
    options.tasks = world_options(config, config.data.train_split, config.data.train_tasks);
    options.policy = mix.policy;
    options.noise = mix.noise;
    options.num_episodes =
        static_cast<std::size_t>(mix.share * static_cast<double>(config.data.collect_episodes));
    options.task_order = order;
    options.first_task = first_task;
    options.num_tasks = config.data.log_tasks;
    first_task += options.num_episodes;
    options.max_steps = config.max_steps;
    options.seed = rng.fork("collect", part++).next();
    options.num_threads = config.threads;
    for (Trajectory& story : collect(world, options)) {
      logs.push_back(std::move(story));
    }
  }
  return logs;
}

// In the words the world's tasks are shown in, so that logs and rollouts speak one language. What the
// world's mapper can't read is left out; how much is said.
void map_logs(const ExperimentConfig& config,
              const World* world,
              std::vector<Trajectory>& logs,
              ProgressSink& progress) {
  const auto mapper =
      world == nullptr ? nullptr : world->make_state_mapper(world_options(config, "", 0));
  if (!mapper) {
    return;
  }
  std::string first;
  const auto unreadable = std::erase_if(logs, [&](Trajectory& story) {
    try {
      map_trajectory(*mapper, story);
      return false;
    } catch (const Error& error) {
      first = first.empty() ? error.what() : first;
      return true;
    }
  });
  if (unreadable > 0) {
    progress.note(fmt::format("{} of {} logged episodes are left out; the first: {}",
                              unreadable,
                              unreadable + logs.size(),
                              first));
  }
}

std::vector<Trajectory> import_logs(const ExperimentConfig& config, ProgressSink& progress) {
  const std::vector<Path> files(config.data.logs.begin(), config.data.logs.end());
  std::vector<Trajectory> logs;
  const ImportReport report =
      import_trajectories(log_format_from_name(config.data.logs_format),
                          files,
                          {.split = config.data.train_split},
                          [&](Trajectory story) { logs.push_back(std::move(story)); });
  progress.note(
      fmt::format("{} logged episodes, {} transitions", report.episodes, report.transitions));
  return logs;
}

// One run learns one tool: logs of two worlds, or of another one of ours than the run's, are refused. (Other people's
// names for a world are not ours.)
void check_world_of_logs(const ExperimentConfig& config, std::vector<Trajectory>& logs) {
  std::set<std::string> named;
  for (const Trajectory& story : logs) {
    if (story.task.world != "none") {
      named.insert(story.task.world);
    }
  }
  if (named.size() > 1) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("data.logs: the episodes are of {} worlds: {}",
                            named.size(),
                            join({named.begin(), named.end()}, ", ")),
                "one run learns one tool: give each world's logs a run of their own");
  }
  const auto ours = world_names();
  const bool is_ours = !named.empty() && std::ranges::find(ours, *named.begin()) != ours.end();
  if (config.world != "none" && is_ours && !named.contains(config.world)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("data.logs: the episodes are of the world \"{}\", the run of \"{}\"",
                            *named.begin(),
                            config.world),
                fmt::format("set world = \"{}\", or \"none\" to learn from the logs alone", *named.begin()));
  }
  for (Trajectory& story : logs) {
    story.task.world = config.world;
  }
}

// Said, not refused: logs that name a world beside logs that name none, and tasks without words, which an agent can't
// tell from another.
void note_doubtful_tasks(const std::vector<Trajectory>& logs, ProgressSink& progress) {
  std::size_t unnamed = 0;
  std::size_t wordless = 0;
  std::string world;
  std::string first;
  for (const Trajectory& story : logs) {
    if (story.task.world == "none") {
      ++unnamed;
    } else {
      world = story.task.world;
    }
    if (trim(story.task.instruction).empty()) {
      ++wordless;
      first = first.empty() ? story.episode_id : first;
    }
  }
  if (unnamed > 0 && unnamed < logs.size()) {
    progress.note(fmt::format("{} of {} logged episodes name the world \"{}\" and the others none: they are learned as one tool",
                              logs.size() - unnamed,
                              logs.size(),
                              world));
  }
  if (wordless > 0) {
    progress.note(fmt::format("{} of {} logged episodes have no task in words; the first: {}", wordless, logs.size(), first));
  }
}

// Steps that don't begin where the step before ended teach the dream that things change by themselves.
void note_gaps(const std::vector<Trajectory>& logs, ProgressSink& progress) {
  std::size_t count = 0;
  std::string first;
  for (const Trajectory& story : logs) {
    if (const auto gap = gap_of(story)) {
      ++count;
      first = first.empty() ? story.episode_id + ": " + *gap : first;
    }
  }
  if (count > 0) {
    progress.note(fmt::format("{} of {} logged episodes have gaps; the first: {}", count, logs.size(), first));
  }
}

std::vector<Trajectory> readable_logs(const ExperimentConfig& config, const World* world, ProgressSink& progress) {
  std::vector<Trajectory> logs = import_logs(config, progress);
  note_doubtful_tasks(logs, progress);
  check_world_of_logs(config, logs);
  note_gaps(logs, progress);
  map_logs(config, world, logs, progress);
  return logs;
}

std::vector<Trajectory> offline_logs(const ExperimentConfig& config,
                                     const World* world,
                                     const Rng& rng,
                                     ProgressSink& progress) {
  std::vector<Trajectory> logs;
  if (!config.data.logs.empty()) {
    logs = readable_logs(config, world, progress);
  }
  if (config.data.logs.empty() || config.data.collect_beside_logs) {
    for (Trajectory& story : collect_logs(config, *world, rng)) {
      logs.push_back(std::move(story));
    }
  }
  return logs;
}

// What tells one place from another: where it starts. Tasks in one place share its hidden contents, so a
// split by task alone would measure memory. Where all start in one place (a shop), the task decides.
std::string place_of(const Trajectory& story, bool by_task) {
  return by_task || story.steps.empty() ? story.task.instruction
                                        : story.steps.front().observation.text;
}

bool all_start_in_one_place(const std::vector<Trajectory>& logs) {
  return std::all_of(logs.begin(), logs.end(), [&](const Trajectory& story) {
    return !story.steps.empty() &&
           place_of(story, false) == place_of(logs.front(), false);
  });
}

// Splits by place, so that nothing of the held-out part was seen in training.
void split_by_place(std::vector<Trajectory> logs,
                    double held_out_share,
                    Rng rng,
                    ExperimentData& data) {
  std::map<std::string, bool> held_out;
  const bool by_task = all_start_in_one_place(logs);
  for (const Trajectory& story : logs) {
    held_out[place_of(story, by_task)] = false;
  }
  for (auto& [place, out] : held_out) {
    out = rng.uniform() < held_out_share;
  }
  for (Trajectory& story : logs) {
    const bool out = held_out.at(place_of(story, by_task));
    (out ? data.held_out : data.offline).push_back(std::move(story));
  }
  if (data.offline.empty()) {
    std::swap(data.offline, data.held_out);
  }
}

// Traces for what has none yet. An episode the world's explainer does not know how to read is explained
// from its text alone; their number is said.
void explain_all(const World* world,
                 std::size_t threads,
                 std::vector<Trajectory>& stories,
                 ProgressSink& progress) {
  const LogExplainer from_text;
  const auto of_world = world != nullptr ? world->make_explainer() : nullptr;
  const auto strange = parallel_map(stories.size(), threads, [&](std::size_t i) -> std::string {
    const bool explained =
        std::all_of(stories[i].steps.begin(), stories[i].steps.end(), [](const Transition& step) {
          return !step.reasoning_trace.empty();
        });
    if (explained) {
      return "";
    }
    if (of_world != nullptr) {
      try {
        of_world->explain(stories[i]);
        return "";
      } catch (const Error& error) {
        from_text.explain(stories[i]);
        return error.what();
      }
    }
    from_text.explain(stories[i]);
    return "";
  });
  std::size_t count = 0;
  std::string first;
  for (const std::string& reason : strange) {
    count += reason.empty() ? 0 : 1;
    first = first.empty() ? reason : first;
  }
  if (count > 0) {
    progress.note(fmt::format("{} of {} episodes are explained from their text only; the first: {}",
                              count,
                              stories.size(),
                              first));
  }
}

// Successes worth imitating: of each kind of task the half that needed fewer steps, since what a
// clumsy success did on the way is no example.
std::vector<Trajectory> choose_demonstrations(const std::vector<Trajectory>& offline,
                                              std::size_t count,
                                              Rng rng) {
  std::map<std::string, std::vector<const Trajectory*>> kinds;
  for (const Trajectory& story : offline) {
    if (story.success()) {
      const auto type = story.task.settings.find(task_settings::kType);
      kinds[type == story.task.settings.end() ? "" : type->second].push_back(&story);
    }
  }
  std::vector<const Trajectory*> good;
  for (auto& [type, stories] : kinds) {
    std::stable_sort(stories.begin(), stories.end(), [](const auto* a, const auto* b) {
      return a->steps.size() < b->steps.size();
    });
    stories.resize((stories.size() + 1) / 2);
    good.insert(good.end(), stories.begin(), stories.end());
  }
  if (good.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "none of the offline episodes is a success: there is nothing the start policy could imitate",
                "add at least a few successful episodes to the logs");
  }
  rng.shuffle(good);
  std::vector<Trajectory> chosen;
  for (std::size_t i = 0; i < std::min(count, good.size()); ++i) {
    chosen.push_back(*good[i]);
  }
  return chosen;
}

// A share of the episodes, in their order; none where all are wanted. Smaller shares are parts of larger ones.
std::vector<Trajectory> choose_experience(const std::vector<Trajectory>& offline, double share, Rng rng) {
  if (share >= 1) {
    return {};
  }
  std::vector<std::size_t> order(offline.size());
  std::iota(order.begin(), order.end(), 0);
  rng.shuffle(order);
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(offline.size())));
  order.resize(std::clamp<std::size_t>(count, 1, offline.size()));
  std::sort(order.begin(), order.end());
  std::vector<Trajectory> chosen;
  for (const std::size_t i : order) {
    chosen.push_back(offline[i]);
  }
  return chosen;
}

}  // namespace

WorldOptions world_options(const ExperimentConfig& config, const std::string& split, std::size_t count) {
  return {config.data.data_folder, split, count, config.seed, config.data.world_options};
}

std::vector<Trajectory> explained_logs(const ExperimentConfig& config, const World* world, ProgressSink& progress) {
  std::vector<Trajectory> logs = readable_logs(config, world, progress);
  explain_all(world, config.threads, logs, progress);
  return logs;
}

std::vector<Task> tasks_of_logs(const std::vector<Trajectory>& logs) {
  std::vector<Task> tasks;
  std::set<std::string> known;
  for (const Trajectory& story : logs) {
    if (story.steps.empty()) {
      continue;
    }
    Task task = story.task;
    task.settings[task_settings::kFirstObservation] = story.steps.front().observation.text;
    if (known.insert(TaskCurriculum::content_key(task)).second) {
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

std::vector<Task> training_tasks(const ExperimentConfig& config, const World& world) {
  std::vector<Task> tasks =
      world.tasks(world_options(config, config.data.train_split, config.data.train_tasks));
  const auto environment = world.make_environment();
  for (Task& task : tasks) {  // looking costs no step
    task.settings[task_settings::kFirstObservation] = environment->reset(task, task.seed).text;
  }
  return tasks;
}

std::unique_ptr<World> experiment_world(const ExperimentConfig& config) {
  return config.world == "none" ? nullptr : make_world(config.world);
}

std::unique_ptr<ActionMapperFactory> experiment_mappers(const World* world,
                                                        std::span<const Trajectory> offline) {
  return world != nullptr ? world->make_action_mapper_factory()
                          : make_log_action_mapper_factory(offline);
}

ExperimentData prepare_data(const ExperimentConfig& config,
                            const World* world,
                            const Path& run_folder,
                            const Rng& rng,
                            ProgressSink& progress) {
  ExperimentData data;
  const Path folder = run_folder / "data";
  const Path offline_file = folder / "offline.jsonl";
  const Path held_out_file = folder / "held_out.jsonl";
  if (std::filesystem::exists(offline_file)) {
    data.offline = read_run_trajectories(offline_file);
    if (std::filesystem::exists(held_out_file)) {
      data.held_out = read_run_trajectories(held_out_file);
    }
  } else {
    split_by_place(offline_logs(config, world, rng, progress),
                  config.data.held_out_share,
                  rng.fork("held out"),
                  data);
    explain_all(world, config.threads, data.offline, progress);
    explain_all(world, config.threads, data.held_out, progress);
    make_folder(folder);
    if (!data.held_out.empty()) {
      write_trajectories(held_out_file, data.held_out);
    }
    write_trajectories(offline_file, data.offline);  // last: its presence says that both are there
  }
  for (const Trajectory& story : data.offline) {
    data.offline_steps += story.steps.size();
  }
  data.experience_part =
      choose_experience(data.offline, config.data.experience_share, rng.fork("experience share"));
  data.demonstrations =
      choose_demonstrations(data.offline, config.data.demonstrations, rng.fork("demonstrations"));
  if (world == nullptr) {
    data.training_tasks = tasks_of_logs(data.offline);
    return data;
  }
  data.training_tasks = training_tasks(config, *world);
  data.panel = world->tasks(world_options(config, config.data.eval_split, config.data.eval_tasks));
  return data;
}

}  // namespace dreamgym
