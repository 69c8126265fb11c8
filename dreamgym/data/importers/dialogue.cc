#include "dreamgym/data/importers/dialogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym::internal {

namespace {

void append(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) {
    text += '\n';
  }
  text += more;
}

/// Plays the turns through: what was seen, what was done, what came back.
class Script {
 public:
  void take(const Turn& turn) {
    switch (turn.speaker) {
      case Speaker::kSystem:
        append(system_, turn.text);
        return;
      case Speaker::kDummy:
        if (!begun()) {  // what was said so far are rules, the first observation is yet to come
          append(system_, observation_);
          observation_.clear();
        }
        return;
      case Speaker::kAgent:
        act(turn);
        return;
      case Speaker::kEnvironment:
        answer(turn);
        return;
    }
  }

  /// Commands nobody answered end with an empty observation.
  void finish() {
    while (!pending_.empty()) {
      complete(0, "");
    }
  }

  [[nodiscard]] const std::string& system() const { return system_; }
  [[nodiscard]] std::vector<Transition>& steps() { return steps_; }

 private:
  [[nodiscard]] bool begun() const { return !steps_.empty() || !pending_.empty(); }

  void act(const Turn& turn) {
    std::string spoken;
    if (pending_.size() == 1 && pending_.front().call_id.empty() && !turn.commands.empty()) {
      // Two turns of the agent in a row: the first was thinking aloud.
      append(spoken, pending_.front().thought);
      append(spoken, pending_.front().action);
      pending_.clear();
    }
    finish();
    for (const Command& command : turn.commands) {
      pending_.push_back(command);
      if (!spoken.empty()) {
        append(spoken, command.thought);
        pending_.back().thought = std::exchange(spoken, "");
      }
    }
    if (observation_.empty() && steps_.empty()) {
      observation_ = system_;
    }
  }

  void answer(const Turn& turn) {
    if (pending_.empty()) {
      append(observation_, turn.text);
      if (!steps_.empty()) {
        steps_.back().next_observation.text = observation_;
      }
      return;
    }
    const auto called = std::ranges::find(pending_, turn.call_id, &Command::call_id);
    complete(called == pending_.end() ? 0 : static_cast<std::size_t>(called - pending_.begin()),
             turn.text);
  }

  void complete(std::size_t index, const std::string& reply) {
    Command& command = pending_[index];
    steps_.push_back({.observation = {std::exchange(observation_, reply)},
                      .action = std::move(command.action),
                      .next_observation = {reply},
                      .thought = std::move(command.thought)});
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  std::string system_;
  std::string observation_;  ///< the latest
  std::vector<Command> pending_;
  std::vector<Transition> steps_;
};

/// The first value of these keys as text; numbers are ids, too.
std::string text_of(const JsonObject& record, std::initializer_list<std::string_view> keys) {
  const Json* value = record.find_any(keys);
  if (value == nullptr) {
    return "";
  }
  return value->is_string() ? value->get<std::string>() : write_json(*value);
}

/// Sets reward, end and outcome of the last step. @return whether the record said how it ended.
bool settle(Trajectory& trajectory, const JsonObject& record, const ImportOptions& options) {
  Transition& last = trajectory.steps.back();
  const std::string_view reward_key = record.find("reward") != nullptr ? "reward" : "score";
  const bool reward_known = record.find(reward_key) != nullptr;
  const bool known = reward_known || record.find("success") != nullptr;
  const double reward = record.number(reward_key, 0);
  bool success = record.boolean("success", reward >= 1);
  if (!known) {
    success = options.success_marker.empty()
                  ? options.success_by_default
                  : contains(last.next_observation.text, options.success_marker);
  }
  last.reward = reward_known ? reward : success ? 1 : 0;
  // As far as a log says nothing else, the world did not end an episode that failed.
  last.terminated = record.boolean("terminated", success);
  last.truncated = !last.terminated;
  settle_outcome(trajectory);
  trajectory.outcome = success           ? Outcome::kSuccess
                       : last.terminated ? Outcome::kFailure
                                         : Outcome::kTruncated;
  return known;
}

std::string instruction_of(const JsonObject& record,
                           const std::string& observation,
                           const std::string& system) {
  for (const std::string& found : {text_of(record, {"task", "instruction"}),
                                   find_instruction(observation),
                                   find_instruction(system)}) {
    if (!found.empty()) {
      return found;
    }
  }
  return observation;
}

}  // namespace

ImportedEpisode to_episode(const std::vector<Turn>& turns,
                           const JsonObject& record,
                           const ImportOptions& options) {
  Script script;
  for (const Turn& turn : turns) {
    script.take(turn);
  }
  script.finish();
  if (script.steps().empty()) {
    throw Error(ErrorKind::kParse,
                fmt::format("expected at least one assistant turn that is an action, got {} turns "
                            "with none",
                            turns.size()));
  }
  ImportedEpisode episode;
  Trajectory& trajectory = episode.trajectory;
  trajectory.steps = std::move(script.steps());
  trajectory.episode_id = text_of(record, {"episode_id", "id", "item_id"});
  trajectory.policy_version = text_of(record, {"policy_version", "model"});
  Task& task = trajectory.task;
  task.id = text_of(record, {"task_id", "item_id", "id"});
  task.world = text_of(record, {"world", "env"});
  task.split = text_of(record, {"split"});
  task.instruction =
      instruction_of(record, trajectory.steps.front().observation.text, script.system());
  if (!script.system().empty() && script.system() != task_sentence(task.instruction)) {
    task.settings["system"] = script.system();
  }
  if (const Json* tools = record.find("tools")) {
    task.settings["tools"] = tools->is_string() ? tools->get<std::string>() : write_json(*tools);
  }
  episode.outcome_known = settle(trajectory, record, options);
  return episode;
}

std::string task_sentence(std::string_view instruction) {
  return fmt::format("Your task is to: {}.", instruction);
}

std::string find_instruction(std::string_view text) {
  const std::string lower = to_lower(text);
  for (const std::string_view marker :
       {"your task is to", "task:", "instruction:", "goal:", "objective:"}) {
    const bool anywhere = marker == "your task is to";
    for (std::size_t at = lower.find(marker); at != std::string::npos;
         at = lower.find(marker, at + 1)) {
      const std::size_t line = lower.rfind('\n', at);
      const std::size_t begin = line == std::string::npos ? 0 : line + 1;
      const std::string_view before = trim(text.substr(begin, at - begin));
      if (!anywhere && !before.empty() && !before.ends_with("[SEP]")) {
        continue;
      }
      std::string_view rest = trim(text.substr(at + marker.size()));
      consume_prefix(rest, ":");
      rest = trim(rest);
      consume_prefix(rest, "[SEP]");
      rest = trim(rest);
      rest = trim(rest.substr(0, std::min(rest.find('\n'), rest.find("[SEP]"))));
      if (rest.ends_with('.')) {
        rest.remove_suffix(1);
      }
      if (!rest.empty()) {
        return std::string(rest);
      }
    }
  }
  return "";
}

Action tool_action(const std::string& name, const Json* arguments) {
  if (arguments == nullptr) {
    return name;
  }
  if (!arguments->is_string()) {
    return fmt::format("{} {}", name, write_json(*arguments));
  }
  const auto& text = arguments->get_ref<const std::string&>();
  // Some writers indent the JSON; the same call is to be the same action.
  const Json parsed = Json::parse(text, nullptr, false);
  return fmt::format("{} {}", name, parsed.is_discarded() ? text : write_json(parsed));
}

}  // namespace dreamgym::internal
