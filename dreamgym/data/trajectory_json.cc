#include "dreamgym/data/trajectory_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/internal/json_object.h"
#include "dreamgym/data/internal/record_reader.h"
#include "dreamgym/data/internal/record_shape.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym {

namespace {

using internal::Json;
using internal::JsonObject;

constexpr std::uint64_t kVersion = 1;

Json task_to_json(const Task& task) {
  return Json{{"id", task.id},
              {"text", task.instruction},
              {"split", task.split},
              {"source", task.source},
              {"parent_task", task.parent_task},
              {"seed", task.seed},
              {"settings", Json(task.settings)}};
}

Task task_from_json(const Json& json, std::string world) {
  const JsonObject object(json, "task");
  return Task{.id = object.text("id"),
              .instruction = object.text("text", object.text("instruction")),
              .world = object.text("world", world),
              .split = object.text("split"),
              .source = object.text("source"),
              .parent_task = object.text("parent_task"),
              .seed = object.count("seed", 0),
              .settings = object.text_map("settings")};
}

Json step_to_json(const Transition& step, std::size_t t) {
  check(std::isfinite(step.reward), "a reward is finite");
  Json json{{"t", t},
            {"state_text", step.observation.text},
            {"admissible", step.observation.admissible},
            {"action_text", step.action},
            {"action_valid", step.action_valid},
            {"reward", step.reward},
            {"next_state_text", step.next_observation.text},
            {"next_admissible", step.next_observation.admissible},
            {"terminated", step.terminated},
            {"truncated", step.truncated},
            {"reason_trace", step.reasoning_trace},
            {"demos", step.demonstrations},
            {"confidence", nullptr},
            {"thought", step.thought},
            {"info", Json(step.info)}};
  if (step.confidence) {
    check(std::isfinite(*step.confidence), "a confidence is finite");
    json["confidence"] = *step.confidence;
  }
  return json;
}

Transition step_from_json(const JsonObject& object, std::size_t t) {
  if (object.count("t", t) != t) {
    object.refuse("t", fmt::format("{} (steps are in order from 0)", t), object.find("t"));
  }
  Transition step{
      .observation = {object.text("state_text"), object.texts("admissible")},
      .action = object.required_text("action_text"),
      .action_valid = object.boolean("action_valid", true),
      .reward = object.number("reward", 0),
      .next_observation = {object.text("next_state_text"), object.texts("next_admissible")},
      .terminated = object.boolean("terminated", false),
      .truncated = object.boolean("truncated", false),
      .reasoning_trace = object.text("reason_trace"),
      .demonstrations = object.texts("demos"),
      .confidence = std::nullopt,
      .thought = object.text("thought"),
      .info = object.text_map("info")};
  if (object.find("confidence") != nullptr) {
    step.confidence = object.number("confidence", 0);
  }
  return step;
}

std::vector<Transition> steps_from_json(const JsonObject& record) {
  const Json& list = record.required_list("steps");
  std::vector<Transition> steps;
  std::vector<JsonObject> objects;
  for (const Json& item : list) {
    objects.emplace_back(item, record.path("steps", objects.size()));
    steps.push_back(step_from_json(objects.back(), steps.size()));
  }
  for (std::size_t t = 0; t + 1 < steps.size(); ++t) {
    if (objects[t].find("next_state_text") == nullptr) {
      steps[t].next_observation.text = steps[t + 1].observation.text;
    }
    if (objects[t].find("next_admissible") == nullptr) {
      steps[t].next_observation.admissible = steps[t + 1].observation.admissible;
    }
  }
  return steps;
}

Provenance provenance_from_json(const JsonObject& record) {
  const std::string name = record.text("provenance", "real");
  if (name != "real" && name != "dreamed") {
    record.refuse("provenance", "\"real\" or \"dreamed\"", record.find("provenance"));
  }
  return name == "real" ? Provenance::kReal : Provenance::kDreamed;
}

void read_outcome(const JsonObject& record, Trajectory& trajectory) {
  trajectory.episode_return = 0;
  for (const Transition& step : trajectory.steps) {
    trajectory.episode_return += step.reward;
  }
  const Json* json = record.find("outcome");
  if (json == nullptr) {
    return;
  }
  const JsonObject object(*json, "outcome");
  trajectory.episode_return = object.number("score", trajectory.episode_return);
  trajectory.outcome = object.boolean("success", false) ? Outcome::kSuccess : Outcome::kFailure;
  if (object.find("kind") != nullptr) {
    const auto outcome = outcome_from_name(object.text("kind"));
    if (!outcome) {
      object.refuse(
          "kind", "success, failure, truncated or infrastructure_error", object.find("kind"));
    }
    trajectory.outcome = *outcome;
  }
}

}  // namespace

std::string to_json_line(const Trajectory& trajectory) {
  check(std::isfinite(trajectory.episode_return), "an episode's return is finite");
  Json json{{"version", kVersion},
            {"episode_id", trajectory.episode_id},
            {"world", trajectory.task.world},
            {"task", task_to_json(trajectory.task)},
            {"seed", trajectory.seed},
            {"policy_version", trajectory.policy_version},
            {"simulator", nullptr},
            {"provenance", trajectory.provenance == Provenance::kReal ? "real" : "dreamed"},
            {"steps", Json::array()},
            {"outcome",
             {{"kind", outcome_name(trajectory.outcome)},
              {"success", trajectory.success()},
              {"score", trajectory.episode_return}}}};
  if (!trajectory.simulator_version.empty()) {
    json["simulator"] = {{"version", trajectory.simulator_version}};
  }
  for (const Transition& step : trajectory.steps) {
    json["steps"].push_back(step_to_json(step, json["steps"].size()));
  }
  return internal::write_json(json);
}

Trajectory trajectory_from_json(std::string_view line) {
  const Json json = internal::parse_json(line);
  const JsonObject record(json, "");
  if (const std::uint64_t version = record.count("version", kVersion); version != kVersion) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("key \"version\": expected {}, got {}", kVersion, version),
                "the file was written by another version of dreamgym");
  }
  Trajectory trajectory{.episode_id = record.text("episode_id"),
                        .task = {},
                        .seed = record.count("seed", 0),
                        .provenance = provenance_from_json(record),
                        .policy_version = record.text("policy_version"),
                        .simulator_version = "",
                        .steps = steps_from_json(record)};
  const std::string world = record.text("world");
  trajectory.task = record.find("task") != nullptr ? task_from_json(*record.find("task"), world)
                                                   : Task{.world = world};
  if (const Json* simulator = record.find("simulator")) {
    trajectory.simulator_version = JsonObject(*simulator, "simulator").text("version");
  }
  read_outcome(record, trajectory);
  return trajectory;
}

std::vector<Trajectory> read_trajectories(const std::filesystem::path& path,
                                          const ReadOptions& options,
                                          ReadReport* report) {
  std::vector<Trajectory> trajectories;
  Trajectory trajectory;
  const internal::RecordCounts counts = internal::for_each_record(
      path,
      options.skip_bad,
      [&](const internal::Record& record) {
        try {
          trajectory = trajectory_from_json(record.text);
        } catch (const Error& error) {
          throw Error(error.kind(), error.what(), internal::other_format_hint(record.text, "canonical"));
        }
      },
      [&](const internal::Record&) { trajectories.push_back(std::move(trajectory)); });
  if (report != nullptr) {
    *report = {counts.records, counts.bad_records, counts.first_error};
  }
  return trajectories;
}

void write_trajectories(const std::filesystem::path& path,
                        const std::vector<Trajectory>& trajectories) {
  std::string text;
  for (const Trajectory& trajectory : trajectories) {
    text += to_json_line(trajectory);
    text += '\n';
  }
  write_file(path, text);
}

}  // namespace dreamgym
