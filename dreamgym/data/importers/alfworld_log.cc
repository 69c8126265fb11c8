// Logged ALFWorld episodes, one a line:
// {"env","task","game","task_type","dialect","steps":[{"state","action","next_state","reward",
// "done","thought":[]}],"success","source"}.

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/importers.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym::internal {

namespace {

Transition step_of(const JsonObject& object) {
  Transition step{.observation = {object.required_text("state")},
                  .action = object.required_text("action"),
                  .reward = object.number("reward", 0),
                  .next_observation = {object.required_text("next_state")},
                  .terminated = object.boolean("done", false)};
  step.action_valid = step.next_observation.text != "Nothing happens.";
  const Json* thought = object.find("thought");
  step.thought = thought != nullptr && thought->is_string() ? object.text("thought")
                                                            : join(object.texts("thought"), "\n");
  return step;
}

Task task_of(const JsonObject& record) {
  Task task{.id = record.text("game"),
            .instruction = std::string(trim(record.required_text("task"))),
            .world = record.text("env", "alfworld"),
            .source = record.text("source")};
  if (task.instruction.ends_with('.')) {
    task.instruction.pop_back();
  }
  const auto keep = [&](const std::string& name, const std::string& key) {
    if (std::string value = record.text(key); !value.empty()) {
      task.settings[name] = std::move(value);
    }
  };
  keep("game", "game");
  keep("type", "task_type");
  keep("dialect", "dialect");
  return task;
}

}  // namespace

ImportedEpisode import_alfworld_log(const JsonObject& record, const ImportOptions&) {
  ImportedEpisode episode;
  Trajectory& trajectory = episode.trajectory;
  for (const Json& item : record.required_list("steps")) {
    const JsonObject object(item, record.path("steps", trajectory.steps.size()));
    trajectory.steps.push_back(step_of(object));
  }
  if (trajectory.steps.empty()) {
    record.refuse("steps", "at least one step", record.find("steps"));
  }
  trajectory.task = task_of(record);
  // "owner/repository@commit:file#number": who logged it, and which of theirs it is.
  trajectory.episode_id = trajectory.task.source;
  trajectory.policy_version = trajectory.task.source.substr(0, trajectory.task.source.find(':'));
  Transition& last = trajectory.steps.back();
  last.truncated = !last.terminated;
  settle_outcome(trajectory);
  if (record.find("success") != nullptr && record.boolean("success", false)) {
    trajectory.outcome = Outcome::kSuccess;
  } else if (trajectory.outcome == Outcome::kSuccess && record.find("success") != nullptr) {
    trajectory.outcome = Outcome::kFailure;
  }
  return episode;
}

}  // namespace dreamgym::internal
