// Logged WebShop episodes: agents' as records of steps, people's as page views.

#include <fmt/format.h>

#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/importers.h"
#include "dreamgym/data/outcome.h"

namespace dreamgym::internal {

namespace {

constexpr std::string_view kThink = "think[";

/// A page is its text, or what a url log knows of it.
std::string page_text(const JsonObject& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr || !(value->is_string() || value->is_object())) {
    object.refuse(key, "a text or an object", value);
  }
  return value->is_string() ? value->get<std::string>() : write_json(*value);
}

/// The benchmark's own split of its goals.
std::string_view split_of_goal(std::uint64_t index) {
  return index < 500 ? "test" : (index < 1500 ? "dev" : "train");
}

Task task_of(const JsonObject& record) {
  Task task{.instruction = std::string(trim(record.required_text("task"))),
            .world = record.text("env", "webshop"),
            .source = record.text("source")};
  if (record.find("goal_index") != nullptr) {
    const std::uint64_t index = record.count("goal_index", 0);
    task.id = fmt::format("human-{}", index);
    task.split = split_of_goal(index);
    task.settings["session"] = fmt::format("{}", index);
  }
  if (const Json* goal = record.find("goal"); goal != nullptr) {
    task.settings["goal"] = write_json(*goal);
  }
  return task;
}

void end_episode(Trajectory& trajectory, const JsonObject& record) {
  if (trajectory.steps.empty()) {
    record.refuse("steps", "at least one step that is no thought", record.find("steps"));
  }
  Transition& last = trajectory.steps.back();
  last.truncated = !last.terminated;
  settle_outcome(trajectory);
}

/// One line of a page-view log.
struct View {
  std::string page{};
  std::string sub_page{};
  std::string asin{};
  std::string query{};  ///< its words joined by blanks
  std::uint64_t number = 0;
  std::map<std::string, std::string> options{};
  std::string text{};  ///< what the log shows of the page
};

View view_of(const JsonObject& object) {
  View view{.page = object.required_text("page")};
  const Json* content = object.find("content");
  view.text = content != nullptr ? write_json(*content) : "{}";
  const Json empty = Json::object();
  const JsonObject shown(content != nullptr && content->is_object() ? *content : empty, "content");
  view.asin = shown.text("asin");
  view.options = shown.text_map("options");
  const Json* number = shown.find("page");
  view.number =
      number != nullptr && number->is_number_unsigned() ? number->get<std::uint64_t>() : 0;
  const Json* keywords = shown.find("keywords");
  if (keywords != nullptr && keywords->is_array()) {
    view.query = join(shown.texts("keywords"), " ");
  }
  if (view.page == "item_sub_page") {  // .../Name/{options}
    const std::vector<std::string> parts = split(object.text("url"), '/');
    view.sub_page = parts.size() > 2 ? to_lower(parts[parts.size() - 2]) : "description";
  }
  return view;
}

/// The option that was chosen between two views of an item.
std::string chosen_option(const View& before, const View& after) {
  for (const auto& [name, value] : after.options) {
    const auto old = before.options.find(name);
    if (old == before.options.end() || old->second != value) {
      return value;
    }
  }
  return after.options.empty() ? "" : after.options.begin()->second;
}

/// What leads from one page to the next one.
Action action_between(const View& before, const View& after, const std::string& last_query) {
  if (after.page == "search_results") {
    if (before.page == "search_results" && before.query == after.query) {
      return after.number < before.number ? "click[< prev]" : "click[next >]";
    }
    const bool back = before.page == "item_page" && last_query == after.query;
    return back ? "click[< prev]" : fmt::format("search[{}]", after.query);
  }
  if (after.page == "item_page") {
    if (before.page == "item_page") {
      return fmt::format("click[{}]", chosen_option(before, after));
    }
    return before.page == "item_sub_page" ? "click[< prev]"
                                          : fmt::format("click[{}]", to_lower(after.asin));
  }
  if (after.page == "item_sub_page") {
    return fmt::format("click[{}]", after.sub_page);
  }
  return after.page == "done" ? "click[buy now]" : "click[back to search]";
}

}  // namespace

ImportedEpisode import_webshop_log(const JsonObject& record, const ImportOptions&) {
  ImportedEpisode episode;
  Trajectory& trajectory = episode.trajectory;
  std::string thought;
  std::size_t index = 0;
  for (const Json& item : record.required_list("steps")) {
    const JsonObject object(item, record.path("steps", index++));
    const std::string action = object.required_text("action");
    if (action.starts_with(kThink)) {  // no action of the shop's
      std::string_view said = std::string_view(action).substr(kThink.size());
      said.remove_suffix(said.ends_with(']') ? 1 : 0);
      thought += thought.empty() ? "" : "\n";
      thought += said;
      continue;
    }
    Transition step{.observation = {page_text(object, "state")},
                    .action = action,
                    .reward = object.number("reward", 0),
                    .next_observation = {page_text(object, "next_state")},
                    .terminated = object.boolean("done", false),
                    .thought = std::exchange(thought, "")};
    step.action_valid = step.next_observation.text != "Invalid action!";
    trajectory.steps.push_back(std::move(step));
  }
  trajectory.task = task_of(record);
  trajectory.episode_id = trajectory.task.source;
  trajectory.policy_version = trajectory.task.source.substr(0, trajectory.task.source.find(':'));
  end_episode(trajectory, record);
  return episode;
}

ImportedEpisode import_webshop_session(const Json& views) {
  ImportedEpisode episode;
  Trajectory& trajectory = episode.trajectory;
  const JsonObject first(views.at(0), "");
  if (const Json* goal = first.find("goal"); goal != nullptr && goal->is_object()) {
    const JsonObject told(*goal, "goal");
    trajectory.task.instruction = told.text("instruction_text");
    trajectory.task.settings["goal"] = write_json(*goal);
  }
  trajectory.task.world = "webshop";
  trajectory.policy_version = "human";
  View before = view_of(first);
  std::string last_query = before.query;
  for (std::size_t i = 1; i < views.size(); ++i) {
    const JsonObject object(views[i], fmt::format("view {}", i + 1));
    View after = view_of(object);
    Transition step{.observation = {before.text},
                    .action = action_between(before, after, last_query),
                    .reward = object.number("reward", 0),
                    .next_observation = {after.text},
                    .terminated = after.page == "done"};
    trajectory.steps.push_back(std::move(step));
    last_query = after.page == "search_results" ? after.query : last_query;
    before = std::move(after);
  }
  end_episode(trajectory, first);
  return episode;
}

}  // namespace dreamgym::internal
