#include "dreamgym/worlds/toy/toy_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::toy {

Task draw_task(Rng rng) {
  std::vector<std::string> colours = {"red", "blue", "green", "white", "black"};
  rng.shuffle(colours);
  colours.resize(2 + rng.below(colours.size() - 1));
  std::vector<std::string> contents = {"silver", "gold"};
  contents.resize(colours.size());
  rng.shuffle(contents);
  const std::string goal = rng.below(2) == 0 ? "silver" : "gold";
  Task task{.instruction = fmt::format("open the {} chest", goal),
            .world = "toy",
            .source = "generator",
            .settings = {{"boxes", join(colours, ",")},
                         {"contents", join(contents, ",")},
                         {"goal", goal},
                         {"type", "open_" + goal}}};
  task.id = fmt::format("{}|{}|{}", goal, task.settings["boxes"], task.settings["contents"]);
  // By the arrangement itself, so that none can be in both splits.
  task.split = hash_text(task.id) % 4 == 0 ? "held_out" : "train";
  return task;
}

Observation ToyEnvironment::reset(const Task& task, std::uint64_t) {
  const auto setting = [&](const std::string& key) {
    const auto found = task.settings.find(key);
    if (found == task.settings.end()) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("task \"{}\": expected the setting \"{}\", got none", task.id, key),
                  "is it a task of the world \"toy\"?");
    }
    return found->second;
  };
  running_ = false;  // should the task be refused
  boxes_ = split(setting("boxes"), ',');
  contents_ = split(setting("contents"), ',');
  contents_.resize(boxes_.size());
  goal_ = setting("goal");
  open_.clear();
  held_.clear();
  running_ = true;
  won_ = false;
  return {fmt::format("{}\nYour task is to: {}.", room(), task.instruction), admissible()};
}

StepResult ToyEnvironment::step(const Action& action) {
  check(running_, "step() comes after reset() and before the episode's end");
  const std::vector<Action> possible = admissible();
  const bool valid = std::ranges::find(possible, action) != possible.end();
  const std::string text = valid ? apply(action) : "Nothing happens.";
  running_ = !won_;
  return {.observation = {text, admissible()},
          .reward = won_ ? 1.0 : 0.0,
          .terminated = won_,
          .action_valid = valid,
          .info = {{"won", won_ ? "true" : "false"}}};
}

std::string ToyEnvironment::room() const {
  return fmt::format("You are in a small room. You see a silver chest, a gold chest, a {} box.",
                     fmt::join(boxes_, " box, a "));
}

std::vector<Action> ToyEnvironment::admissible() const {
  std::vector<Action> actions = {"look", "open silver chest", "open gold chest"};
  for (std::size_t box = 0; box < boxes_.size(); ++box) {
    actions.push_back(fmt::format("open {} box", boxes_[box]));
    if (open_.contains(boxes_[box]) && !contents_[box].empty()) {
      actions.push_back(fmt::format("take {} key from {} box", contents_[box], boxes_[box]));
    }
  }
  return actions;
}

std::string ToyEnvironment::apply(const Action& action) {
  const std::vector<std::string> word = words(action);
  if (word.back() == "chest") {
    const bool opens = held_.contains(word[1]);
    won_ = opens && word[1] == goal_;
    return fmt::format("The {} chest {}.", word[1], opens ? "opens" : "is locked");
  }
  if (word.back() != "box") {
    return room();
  }
  const std::string& colour = word[word.size() - 2];
  const auto box = static_cast<std::size_t>(std::ranges::find(boxes_, colour) - boxes_.begin());
  if (word[0] == "take") {
    contents_[box].clear();
    held_.insert(word[1]);
    return fmt::format("You take the {} key.", word[1]);
  }
  open_.insert(colour);
  return fmt::format("In the {} box you see {}.",
                     colour,
                     contents_[box].empty() ? "nothing" : fmt::format("a {} key", contents_[box]));
}

}  // namespace dreamgym::toy
