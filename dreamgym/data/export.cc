#include "dreamgym/data/export.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/agent_text.h"
#include "dreamgym/data/importers/dialogue.h"
#include "dreamgym/data/internal/json_object.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {

namespace {

using internal::Json;

/// The agent's turn: the bare action, or "Thought: ... Action: ..." where the bare one would be
/// read otherwise ("ok ..." may pass for a dummy reply).
std::string agent_text(const Transition& step) {
  if (!step.thought.empty()) {
    return fmt::format("Thought: {}\n\nAction: {}", step.thought, step.action);
  }
  const internal::AgentText read = internal::parse_agent_text(step.action);
  const bool is_plain = read.thought.empty() && read.action == step.action &&
                        !to_lower(step.action).starts_with("ok") && !step.action.empty();
  return is_plain ? step.action : fmt::format("Action: {}", step.action);
}

/// Rules and task where the first observation does not say them; "" if it does.
std::string system_text(const Trajectory& trajectory) {
  const Task& task = trajectory.task;
  if (const auto system = task.settings.find("system"); system != task.settings.end()) {
    return system->second;
  }
  const bool is_said = !trajectory.steps.empty() &&
                       contains(trajectory.steps.front().observation.text, task.instruction);
  return is_said ? "" : internal::task_sentence(task.instruction);
}

/// What a record says beside its turns.
void add_episode(Json& record, const Trajectory& trajectory) {
  record["episode_id"] = trajectory.episode_id;
  record["task_id"] = trajectory.task.id;
  record["task"] = trajectory.task.instruction;
  record["world"] = trajectory.task.world;
  record["split"] = trajectory.task.split;
  record["policy_version"] = trajectory.policy_version;
  record["reward"] = trajectory.episode_return;
  record["success"] = trajectory.success();
  record["terminated"] = !trajectory.steps.empty() && trajectory.steps.back().terminated;
  if (const auto tools = trajectory.task.settings.find("tools");
      tools != trajectory.task.settings.end()) {
    const Json parsed = Json::parse(tools->second, nullptr, false);
    record["tools"] = parsed.is_discarded() ? Json(tools->second) : parsed;
  }
}

Json messages_record(const Trajectory& trajectory) {
  Json messages = Json::array();
  const auto say = [&](std::string_view role, const std::string& content) {
    messages.push_back({{"role", role}, {"content", content}});
  };
  if (const std::string system = system_text(trajectory); !system.empty()) {
    say("system", system);
  }
  for (const Transition& step : trajectory.steps) {
    if (&step == &trajectory.steps.front()) {
      say("user", step.observation.text);
    }
    say("assistant", agent_text(step));
    say("user", step.next_observation.text);
  }
  Json record{{"messages", std::move(messages)}};
  add_episode(record, trajectory);
  return record;
}

Json sharegpt_record(const Trajectory& trajectory) {
  Json turns = Json::array();
  const auto say = [&](std::string_view from, const std::string& value) {
    turns.push_back({{"from", from}, {"value", value}});
  };
  if (const std::string system = system_text(trajectory); !system.empty()) {
    say("system", system);
  }
  for (const Transition& step : trajectory.steps) {
    if (&step == &trajectory.steps.front()) {
      say("human", step.observation.text);
    }
    say("gpt", agent_text(step));
    say("human", step.next_observation.text);
  }
  Json record{{"id", trajectory.episode_id}, {"conversations", std::move(turns)}};
  add_episode(record, trajectory);
  return record;
}

Json agentgym_record(const Trajectory& trajectory) {
  Json turns = Json::array();
  const auto say = [&](std::string_view from, const Json& loss, const std::string& value) {
    turns.push_back({{"from", from}, {"loss", loss}, {"value", value}});
  };
  const std::string system = system_text(trajectory);
  say("human",
      nullptr,
      system.empty() ? internal::task_sentence(trajectory.task.instruction) : system);
  say("gpt", false, "OK.");
  for (const Transition& step : trajectory.steps) {
    if (&step == &trajectory.steps.front()) {
      say("human", nullptr, step.observation.text);
    }
    say("gpt", true, agent_text(step));
    say("human", nullptr, step.next_observation.text);
  }
  Json record{{"item_id", trajectory.task.id}, {"conversations", std::move(turns)}};
  add_episode(record, trajectory);
  return record;
}

}  // namespace

std::string export_record(LogFormat format, const Trajectory& trajectory) {
  switch (format) {
    case LogFormat::kCanonical:
      return to_json_line(trajectory);
    case LogFormat::kMessages:
      return internal::write_json(messages_record(trajectory));
    case LogFormat::kShareGpt:
      return internal::write_json(sharegpt_record(trajectory));
    case LogFormat::kAgentGym:
      return internal::write_json(agentgym_record(trajectory));
    case LogFormat::kAlfworldLog:
    case LogFormat::kWebshopLog:
    case LogFormat::kWebshopHuman:
      break;
  }
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("export format: expected canonical, messages, sharegpt or agentgym, got {}",
                  log_format_name(format)),
      "this format is only read");
}

void export_trajectories(LogFormat format,
                         const std::filesystem::path& path,
                         const std::vector<Trajectory>& trajectories) {
  const bool is_list = format == LogFormat::kShareGpt || format == LogFormat::kAgentGym;
  std::string text = is_list ? "[\n" : "";
  for (const Trajectory& trajectory : trajectories) {
    text += export_record(format, trajectory);
    text += is_list && &trajectory != &trajectories.back() ? ",\n" : "\n";
  }
  text += is_list ? "]\n" : "";
  write_file(path, text);
}

}  // namespace dreamgym
