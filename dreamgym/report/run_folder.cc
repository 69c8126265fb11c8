#include "dreamgym/report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <tuple>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {
namespace {

// Counts the broken lines of one file and names the first ones.
class LineProblems {
 public:
  LineProblems(std::string file, std::size_t max_named)
      : file_(std::move(file)), max_named_(max_named) {}

  void add(std::size_t number, std::string_view what) {
    if (count_++ < max_named_) {
      named_.push_back(fmt::format("{} line {}: {}", file_, number, shorten(what, 300)));
    }
  }
  void report_to(std::vector<std::string>& problems) const {
    problems.insert(problems.end(), named_.begin(), named_.end());
    if (count_ > named_.size()) {
      problems.push_back(fmt::format("{}: {} more lines that could not be read ({} in all)",
                                     file_,
                                     count_ - named_.size(),
                                     count_));
    }
  }

 private:
  std::string file_;
  std::size_t max_named_;
  std::size_t count_ = 0;
  std::vector<std::string> named_;
};

// At most `capacity` items of a stream of unknown length, evenly spread: every stride-th, and the
// stride doubles whenever they are too many.
class EvenSelection {
 public:
  explicit EvenSelection(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  template <class Make>
  void offer(const Make& make) {
    if (seen_++ % stride_ != 0) {
      return;
    }
    items_.push_back(make());
    if (items_.size() > capacity_) {
      for (std::size_t i = 1; 2 * i < items_.size(); ++i) {
        items_[i] = std::move(items_[2 * i]);
      }
      items_.resize((items_.size() + 1) / 2);
      stride_ *= 2;
    }
  }
  std::vector<std::pair<std::size_t, Trajectory>>& items() { return items_; }

 private:
  std::size_t capacity_;
  std::size_t seen_ = 0;
  std::size_t stride_ = 1;
  std::vector<std::pair<std::size_t, Trajectory>> items_;  // (line number, episode)
};

void read_metrics_line(std::string_view line,
                       std::map<std::pair<std::string, std::string>, std::size_t>& index,
                       std::vector<MetricSeries>& metrics) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) {
    throw Error(ErrorKind::kParse, "not a JSON object: " + shorten(line, 60));
  }
  const auto phase = json.at("phase").get<std::string>();
  const auto step = json.at("step").get<std::uint64_t>();
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [name, value] : json.at("values").items()) {
    // Writers of JSON put null where a number is not finite.
    values.emplace_back(name, value.is_null() ? std::nan("") : value.get<double>());
  }
  for (const auto& [name, value] : values) {
    const auto [entry, is_new] = index.try_emplace({phase, name}, metrics.size());
    if (is_new) {
      metrics.push_back({phase, name, {}});
    }
    metrics[entry->second].points.emplace_back(step, value);
  }
}

void read_metrics(const Path& path, const ReadRunOptions& options, RunContents& contents) {
  LineProblems problems(path.filename().string(), options.max_problems_per_file);
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    if (!trim(line).empty()) {
      try {
        read_metrics_line(line, index, contents.metrics);
      } catch (const Error& error) {
        problems.add(number, error.what());
      } catch (const nlohmann::json::exception&) {
        problems.add(
            number,
            "expected {\"phase\": text, \"step\": number, \"values\": {name: number}}, got " +
                shorten(line, 60));
      }
    }
    return true;
  });
  problems.report_to(contents.problems);
}

void read_episodes(const Path& path, const ReadRunOptions& options, RunContents& contents) {
  LineProblems problems(path.filename().string(), options.max_problems_per_file);
  std::map<std::tuple<std::string, Provenance, Outcome>, EvenSelection> kinds;
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    if (trim(line).empty()) {
      return true;
    }
    try {
      Trajectory episode = trajectory_from_json(line);
      ++contents.num_episodes;
      auto& kind = kinds
                       .try_emplace({arm_of(episode), episode.provenance, episode.outcome},
                                    options.max_episodes)
                       .first->second;
      kind.offer([&] { return std::pair(number, std::move(episode)); });
    } catch (const Error& error) {
      problems.add(number, error.what());
    }
    return true;
  });
  problems.report_to(contents.problems);

  // Every kind gets the same share; what small kinds leave over goes to the larger ones.
  std::vector<std::vector<std::pair<std::size_t, Trajectory>>*> lists;
  for (auto& [key, kind] : kinds) {
    lists.push_back(&kind.items());
  }
  std::sort(lists.begin(), lists.end(), [](const auto* a, const auto* b) {
    return a->size() < b->size();
  });
  std::vector<std::pair<std::size_t, Trajectory>> chosen;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::size_t room = options.max_episodes - std::min(options.max_episodes, chosen.size());
    const std::size_t share = std::min(lists[i]->size(), room / (lists.size() - i));
    for (std::size_t j = 0; j < share; ++j) {
      chosen.push_back(std::move((*lists[i])[j * lists[i]->size() / share]));
    }
  }
  std::sort(
      chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [number, episode] : chosen) {
    contents.episodes.push_back(std::move(episode));
  }
}

// Runs `read` on a file of the folder, or says what its absence costs.
template <class Read>
void read_part(const Path& folder,
               const char* file,
               const char* without_it,
               RunContents& contents,
               const Read& read) {
  const Path path = folder / file;
  if (!std::filesystem::exists(path)) {
    contents.missing.push_back(fmt::format("{} is not there: {}", file, without_it));
    return;
  }
  try {
    read(path);
  } catch (const Error& error) {
    contents.problems.push_back(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

RunContents read_run_folder(const Path& folder, const ReadRunOptions& options) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{}: no such run folder", folder.string()),
                "name the folder given to `dreamgym train --run`");
  }
  RunContents contents;
  const Path whole = std::filesystem::weakly_canonical(folder);
  contents.name = whole.filename().string();
  read_part(folder, "run.json", "commit, seed and machine are unknown", contents, [&](auto& path) {
    const std::string text = read_file(path);
    if (!nlohmann::json::parse(text, nullptr, false).is_object()) {
      throw Error(ErrorKind::kParse, "not a JSON object");
    }
    contents.run_json = text;
  });
  read_part(folder, "config.toml", "the settings are unknown", contents, [&](auto& path) {
    contents.config_toml = read_file(path);
  });
  read_part(
      folder, "results.json", "no comparison and no measures yet", contents, [&](const Path&) {
        contents.results = read_results(folder);
      });
  read_part(folder, "metrics.jsonl", "no learning curves", contents, [&](auto& path) {
    read_metrics(path, options, contents);
  });
  read_part(folder, "episodes.jsonl", "no episodes to look at", contents, [&](auto& path) {
    read_episodes(path, options, contents);
  });
  if (std::filesystem::exists(folder / "tasks.jsonl")) {  // only of runs that generate tasks
    read_part(folder, "tasks.jsonl", "", contents, [&](auto& path) {
      contents.tasks = read_task_records(path);
    });
  }
  return contents;
}

std::string arm_of(const Trajectory& trajectory) {
  const auto& id = trajectory.episode_id;
  if (const std::size_t slash = id.find('/'); slash != std::string::npos && slash > 0) {
    return id.substr(0, slash);
  }
  std::string policy = trajectory.policy_version.substr(0, trajectory.policy_version.find('@'));
  const std::size_t end = policy.find_last_not_of("0123456789");
  if (end != std::string::npos && end > 0 && end + 1 < policy.size() && policy[end] == '-') {
    policy.resize(end);
  }
  return policy.empty() ? "unknown" : policy;
}

}  // namespace dreamgym
