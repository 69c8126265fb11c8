#include "dreamgym/report/internal/page_data.h"

#include <cmath>
#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "dreamgym/base/text.h"
#include "dreamgym/data/outcome.h"
#include "dreamgym/report/guards.h"

namespace dreamgym::report_internal {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(Provenance provenance) {
  return provenance == Provenance::kReal ? "real" : "dreamed";
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// Texts that occur often (admissible actions) are stored once and named by index.
class TextTable {
 public:
  std::size_t index(const std::string& text) {
    const auto [entry, is_new] = index_.try_emplace(text, texts_.size());
    if (is_new) {
      texts_.push_back(text);
    }
    return entry->second;
  }
  [[nodiscard]] const Json& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  Json texts_ = Json::array();
};

class EpisodeWriter {
 public:
  explicit EpisodeWriter(const ReportOptions& options) : options_(options) {}

  Json episode(const Trajectory& episode) {
    Json steps = Json::array();
    for (const auto& transition : episode.steps) {
      steps.push_back(step(transition));
    }
    return {{"id", episode.episode_id},
            {"arm", arm_of(episode)},
            {"provenance", name_of(episode.provenance)},
            {"outcome", outcome_name(episode.outcome)},
            {"return", number(episode.episode_return)},
            {"policy", episode.policy_version},
            {"simulator", episode.simulator_version},
            {"task", shown(episode.task.instruction)},
            {"task_id", episode.task.id},
            {"split", episode.task.split},
            {"parent_task", episode.task.parent_task},
            {"first", episode.steps.empty() ? "" : shown(episode.steps[0].observation.text)},
            {"steps", std::move(steps)}};
  }
  [[nodiscard]] const Json& actions() const { return actions_.texts(); }
  [[nodiscard]] const Json& demonstrations() const { return demonstrations_; }

 private:
  [[nodiscard]] std::string shown(std::string_view text) const {
    return shorten(text, options_.max_text_bytes);
  }

  // Keys that have nothing to say are left out.
  Json step(const Transition& transition) {
    Json json = {{"action", shown(transition.action)},
                 {"next", shown(transition.next_observation.text)},
                 {"reward", number(transition.reward)}};
    const auto flag = [&](const char* key, bool value) {
      if (value) {
        json[key] = true;
      }
    };
    flag("invalid", !transition.action_valid);
    flag("terminated", transition.terminated);
    flag("truncated", transition.truncated);
    const auto text = [&](const char* key, const std::string& value) {
      if (!value.empty()) {
        json[key] = shown(value);
      }
    };
    text("trace", transition.reasoning_trace);
    text("thought", transition.thought);
    if (transition.confidence) {
      json["confidence"] = number(*transition.confidence);
    }
    const auto& admissible = transition.observation.admissible;
    for (std::size_t i = 0; i < std::min(admissible.size(), options_.max_list_items); ++i) {
      json["admissible"].push_back(actions_.index(shown(admissible[i])));
    }
    if (admissible.size() > options_.max_list_items) {
      json["admissible_more"] = admissible.size() - options_.max_list_items;
    }
    for (const auto& id : transition.demonstrations) {
      json["demos"].push_back(id);
      add_demonstration(id);
    }
    for (const auto& [key, value] : transition.info) {
      json["info"][key] = shown(value);
    }
    return json;
  }

  void add_demonstration(const std::string& id) {
    if (!options_.find_demonstration || demonstrations_.contains(id)) {
      return;
    }
    if (const auto found = options_.find_demonstration(id)) {
      demonstrations_[id] = {{"observation", shown(found->observation)},
                             {"action", shown(found->action)},
                             {"next", shown(found->next_observation)},
                             {"reward", number(found->reward)},
                             {"provenance", name_of(found->provenance)},
                             {"episode", found->episode_id}};
    }
  }

  const ReportOptions& options_;
  TextTable actions_;
  Json demonstrations_ = Json::object();
};

// At most max_points of a curve, the first and the last among them.
Json curve(const MetricSeries& series, std::size_t max_points) {
  Json points = Json::array();
  const std::size_t count = series.points.size();
  const std::size_t shown = std::min(count, std::max<std::size_t>(max_points, 2));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [step, value] = series.points[shown == 1 ? 0 : i * (count - 1) / (shown - 1)];
    points.push_back(Json::array({step, number(value)}));
  }
  return {{"phase", series.phase}, {"name", series.name}, {"points", std::move(points)}};
}

}  // namespace

std::string page_data(const RunContents& contents, const ReportOptions& options) {
  Json json = {{"name", contents.name}, {"config", contents.config_toml}};
  json["run"] =
      contents.run_json.empty() ? Json(nullptr) : Json::parse(contents.run_json, nullptr, false);
  json["results"] = contents.results ? Json::parse(to_json(*contents.results)) : Json(nullptr);
  json["metrics"] = Json::array();
  for (const auto& series : contents.metrics) {
    json["metrics"].push_back(curve(series, options.max_points));
  }
  json["alarms"] = Json::array();
  for (const auto& alarm : find_alarms(contents.metrics)) {
    json["alarms"].push_back({{"phase", alarm.phase},
                              {"metric", alarm.metric},
                              {"step", alarm.step},
                              {"num_steps", alarm.num_steps},
                              {"text", alarm.text}});
  }
  EpisodeWriter writer(options);
  json["episodes"] = Json::array();
  for (const auto& episode : contents.episodes) {
    json["episodes"].push_back(writer.episode(episode));
  }
  json["num_episodes"] = contents.num_episodes;
  json["actions"] = writer.actions();
  json["demonstrations"] = writer.demonstrations();
  json["tasks"] = Json::array();
  for (const TaskRecord& task : contents.tasks) {
    json["tasks"].push_back({{"phase", task.phase},
                             {"id", task.id},
                             {"parent", task.parent},
                             {"instruction", shorten(task.instruction, options.max_text_bytes)},
                             {"groups", task.num_groups},
                             {"success", number(task.success_probability)},
                             {"value", number(task.value)},
                             {"solvable", task.solvable ? Json(*task.solvable) : Json(nullptr)},
                             {"remark", task.remark}});
  }
  json["missing"] = contents.missing;
  json["problems"] = contents.problems;

  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    // These occur only inside strings of JSON.
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace dreamgym::report_internal
