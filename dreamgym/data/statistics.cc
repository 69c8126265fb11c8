#include "dreamgym/data/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "dreamgym/base/text.h"
#include "dreamgym/data/internal/json_object.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym {

namespace {

using internal::Json;
using Groups = std::map<std::string, GroupCount>;

void count(GroupCount& group, const Trajectory& trajectory) {
  ++group.trajectories;
  group.successes += trajectory.success() ? 1 : 0;
  group.transitions += trajectory.steps.size();
}

void count(Groups& groups, std::string_view name, const Trajectory& trajectory) {
  count(groups[name.empty() ? "-" : std::string(name)], trajectory);
}

/// Without what numbers the episode in it: "file#12" and "file:12" are "file".
std::string_view source_file(std::string_view source) {
  source = source.substr(0, source.find('#'));
  const std::size_t colon = source.rfind(':');
  const bool is_line = colon != std::string_view::npos && colon + 1 < source.size() &&
                       source.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return is_line ? source.substr(0, colon) : source;
}

void count_groups(TrajectoryStatistics& statistics, const Trajectory& trajectory) {
  const Task& task = trajectory.task;
  const auto type = task.settings.find("type");
  count(statistics.all, trajectory);
  count(statistics.by_world, task.world, trajectory);
  count(statistics.by_split, task.split, trajectory);
  count(statistics.by_task_type, type == task.settings.end() ? "" : type->second, trajectory);
  count(statistics.by_outcome, outcome_name(trajectory.outcome), trajectory);
  count(statistics.by_source, source_file(task.source), trajectory);
  count(statistics.by_policy, trajectory.policy_version, trajectory);
  count(statistics.by_provenance,
        trajectory.provenance == Provenance::kReal ? "real" : "dreamed",
        trajectory);
}

void count_steps(TrajectoryStatistics& statistics, const std::vector<Transition>& steps) {
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const Transition& step = steps[t];
    statistics.valid_actions += step.action_valid ? 1 : 0;
    statistics.rewarded_transitions += step.reward != 0 ? 1 : 0;
    statistics.explained_transitions += step.reasoning_trace.empty() ? 0 : 1;
    statistics.with_admissible += step.observation.admissible.empty() ? 0 : 1;
    statistics.with_thought += step.thought.empty() ? 0 : 1;
    statistics.broken_links +=
        t > 0 && step.observation.text != steps[t - 1].next_observation.text ? 1 : 0;
  }
}

/// How many of the names stand in more than one split.
std::size_t in_several_splits(std::span<const Trajectory> trajectories,
                              const std::function<std::string(const Task&)>& name_of) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> splits;
  for (const Trajectory& trajectory : trajectories) {
    const std::string name = name_of(trajectory.task);
    if (!name.empty()) {
      splits[{trajectory.task.world, name}].insert(trajectory.task.split);
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(
      splits, [](const auto& entry) { return entry.second.size() > 1; }));
}

void summarise_lengths(TrajectoryStatistics& statistics, std::vector<std::size_t> lengths) {
  if (lengths.empty()) {
    return;
  }
  std::ranges::sort(lengths);
  const std::size_t n = lengths.size();
  statistics.min_steps = lengths.front();
  statistics.max_steps = lengths.back();
  statistics.median_steps = static_cast<double>(lengths[(n - 1) / 2] + lengths[n / 2]) / 2;
  statistics.mean_steps = static_cast<double>(statistics.all.transitions) / static_cast<double>(n);
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The field's name and value of every group, for table and JSON alike.
std::vector<std::pair<std::string_view, const Groups*>> groups_of(
    const TrajectoryStatistics& statistics) {
  return {{"world", &statistics.by_world},
          {"split", &statistics.by_split},
          {"task_type", &statistics.by_task_type},
          {"outcome", &statistics.by_outcome},
          {"source", &statistics.by_source},
          {"policy", &statistics.by_policy},
          {"provenance", &statistics.by_provenance}};
}

std::string group_row(std::string_view name, const GroupCount& group) {
  return fmt::format("  {:<46} {:>8} {:>8.1f}% {:>11}\n",
                     shorten(name, 46),
                     group.trajectories,
                     100 * share(group.successes, group.trajectories),
                     group.transitions);
}

Json group_json(const GroupCount& group) {
  return {{"trajectories", group.trajectories},
          {"successes", group.successes},
          {"transitions", group.transitions}};
}

}  // namespace

double TrajectoryStatistics::valid_action_share() const {
  return share(valid_actions, all.transitions);
}

TrajectoryStatistics trajectory_statistics(std::span<const Trajectory> trajectories) {
  TrajectoryStatistics statistics;
  std::set<std::pair<std::string, std::string>> tasks;
  std::vector<std::size_t> lengths;
  double total_return = 0;
  for (const Trajectory& trajectory : trajectories) {
    count_groups(statistics, trajectory);
    count_steps(statistics, trajectory.steps);
    tasks.emplace(trajectory.task.world, trajectory.task.id);
    lengths.push_back(trajectory.steps.size());
    total_return += trajectory.episode_return;
  }
  statistics.tasks = tasks.size();
  if (!trajectories.empty()) {
    statistics.mean_return = total_return / static_cast<double>(trajectories.size());
  }
  summarise_lengths(statistics, std::move(lengths));
  statistics.tasks_in_several_splits =
      in_several_splits(trajectories, [](const Task& task) { return task.id; });
  statistics.games_in_several_splits = in_several_splits(trajectories, [](const Task& task) {
    const auto game = task.settings.find(task_settings::kGame);
    return game == task.settings.end() ? std::string() : game->second;
  });
  return statistics;
}

std::string to_table(const TrajectoryStatistics& statistics) {
  const std::size_t whole = statistics.all.transitions;
  std::string text =
      fmt::format("{:<48} {:>8} {:>9} {:>11}\n", "", "episodes", "success", "transitions");
  text += group_row("all", statistics.all);
  for (const auto& [name, groups] : groups_of(statistics)) {
    text += fmt::format("{}\n", replace_all(name, "_", " "));
    for (const auto& [value, group] : *groups) {
      text += group_row(value, group);
    }
  }
  text += fmt::format("tasks                 {}\n", statistics.tasks);
  text += fmt::format("steps an episode      mean {:.1f}, median {:.1f}, from {} to {}\n",
                      statistics.mean_steps,
                      statistics.median_steps,
                      statistics.min_steps,
                      statistics.max_steps);
  text += fmt::format("mean return           {:.3f}\n", statistics.mean_return);
  for (const auto& [name, part] : std::vector<std::pair<std::string_view, std::size_t>>{
           {"valid actions", statistics.valid_actions},
           {"rewarded", statistics.rewarded_transitions},
           {"with reasoning trace", statistics.explained_transitions},
           {"with admissible list", statistics.with_admissible},
           {"with thought", statistics.with_thought},
           {"broken links", statistics.broken_links}}) {
    text += fmt::format("{:<21} {} ({:.1f}%)\n", name, part, 100 * share(part, whole));
  }
  text += fmt::format("in several splits     {} tasks, {} games\n",
                      statistics.tasks_in_several_splits,
                      statistics.games_in_several_splits);
  return text;
}

std::string to_json_line(const TrajectoryStatistics& statistics) {
  Json json = group_json(statistics.all);
  json["tasks"] = statistics.tasks;
  for (const auto& [name, groups] : groups_of(statistics)) {
    Json& object = json[fmt::format("by_{}", name)] = Json::object();
    for (const auto& [value, group] : *groups) {
      object[value] = group_json(group);
    }
  }
  json["min_steps"] = statistics.min_steps;
  json["mean_steps"] = statistics.mean_steps;
  json["median_steps"] = statistics.median_steps;
  json["max_steps"] = statistics.max_steps;
  json["mean_return"] = statistics.mean_return;
  json["valid_actions"] = statistics.valid_actions;
  json["valid_action_share"] = statistics.valid_action_share();
  json["rewarded_transitions"] = statistics.rewarded_transitions;
  json["explained_transitions"] = statistics.explained_transitions;
  json["with_admissible"] = statistics.with_admissible;
  json["with_thought"] = statistics.with_thought;
  json["broken_links"] = statistics.broken_links;
  json["tasks_in_several_splits"] = statistics.tasks_in_several_splits;
  json["games_in_several_splits"] = statistics.games_in_several_splits;
  return internal::write_json(json);
}

}  // namespace dreamgym
