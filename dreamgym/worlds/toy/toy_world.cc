#include "dreamgym/worlds/toy/toy_world.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/draw_tasks.h"
#include "dreamgym/worlds/toy/toy_engine.h"

namespace dreamgym {

namespace {

/// What a reader of the episode knows, from text alone: used by mapper, explainer and expert.
struct Notes {
  std::vector<std::string> boxes;  ///< colours, as the room lists them
  std::map<std::string, std::string>
      seen;                    ///< colour of an opened box to "silver key" or "nothing"
  std::set<std::string> held;  ///< e.g. "silver key"

  void read_room(std::string_view text) {
    *this = {};
    const std::vector<std::string> word = words(replace_all(replace_all(text, ",", " "), ".", " "));
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (word[i] == "box") {
        boxes.push_back(word[i - 1]);
      }
    }
  }
  /// The text may be dreamed, so nothing is taken for granted about it.
  void read_reply(std::string_view action, std::string_view text) {
    const std::vector<std::string> word = words(action);
    const std::vector<std::string> said = words(text);
    if (text.starts_with("In the ") && word.size() == 3) {
      seen[word[1]] = said.size() == 9 ? said[7] + " key" : "nothing";
    } else if (text.starts_with("You take ") && word.size() == 6) {
      seen[word[4]] = "nothing";
      held.insert(word[1] + " key");
    }
  }
};

std::string goal_of(const Task& task) {
  return contains(task.instruction, "silver") ? "silver" : "gold";
}

class ToyMapper final : public ActionMapper {
 public:
  void reset(std::string_view, std::string_view observation) override {
    notes_.read_room(observation);
  }
  void observe(std::string_view action, std::string_view observation) override {
    notes_.read_reply(action, observation);
  }
  [[nodiscard]] std::vector<std::string> candidates() const override {
    std::vector<std::string> actions = {"open silver chest", "open gold chest"};
    for (const std::string& box : notes_.boxes) {
      actions.push_back(fmt::format("open {} box", box));
      const auto seen = notes_.seen.find(box);
      if (seen != notes_.seen.end() && seen->second != "nothing") {
        actions.push_back(fmt::format("take {} from {} box", seen->second, box));
      }
    }
    return actions;
  }

 private:
  Notes notes_;
};

class ToyExplainer final : public Explainer {
 public:
  void explain(Trajectory& trajectory) const override {
    check_world(trajectory, "toy");
    Notes notes;
    for (Transition& step : trajectory.steps) {
      if (&step == &trajectory.steps.front()) {
        notes.read_room(step.observation.text);
      }
      step.reasoning_trace = to_text(trace_of(step, trajectory.task, notes));
      notes.read_reply(step.action, step.next_observation.text);
    }
  }

 private:
  /// @param notes  as of before the step.
  static ReasoningTrace trace_of(const Transition& step, const Task& task, const Notes& notes) {
    const std::vector<std::string> word = words(step.action);
    const std::string_view text = step.next_observation.text;
    ReasoningTrace trace;
    if (!step.action_valid) {
      trace.add("effect", std::string(effects::kInvalid));
    } else if (word.size() < 3) {
      trace.add("effect", std::string(effects::kAgain));
    } else if (word.back() == "chest") {
      const bool opens = text.ends_with("opens.");
      trace.add("effect", std::string(opens ? effects::kDone : effects::kClosed));
      trace.add("want", goal_of(task) + " chest open");
      trace.add("got", fmt::format("{} chest {}", word[1], opens ? "open" : "locked"));
    } else if (word[0] == "take") {
      trace.add("effect", std::string(effects::kMoved));
      trace.add("hold", word[1] + " key");
    } else {
      trace.add("effect",
                std::string(notes.seen.contains(word[1]) ? effects::kAgain : effects::kNew));
      trace.add("at", word[1] + " box");
    }
    return trace;
  }
};

/// Opens boxes in the room's order until it sees the key, takes it, opens the chest.
class ToyExpert final : public ScriptedPolicy {
 public:
  void reset(const Task& task, const Observation& observation, std::uint64_t) override {
    goal_ = goal_of(task);
    notes_.read_room(observation.text);
  }
  Action act() override {
    if (notes_.held.contains(goal_ + " key")) {
      return fmt::format("open {} chest", goal_);
    }
    for (const std::string& box : notes_.boxes) {
      const auto seen = notes_.seen.find(box);
      if (seen == notes_.seen.end()) {
        return fmt::format("open {} box", box);
      }
      if (seen->second == goal_ + " key") {
        return fmt::format("take {} key from {} box", goal_, box);
      }
    }
    return "look";
  }
  void observe(const Action& action, const Observation& observation) override {
    notes_.read_reply(action, observation.text);
  }

 private:
  std::string goal_;
  Notes notes_;
};

class ToyWorld final : public World {
 public:
  [[nodiscard]] std::string name() const override { return "toy"; }
  [[nodiscard]] std::string description() const override {
    return "boxes with keys and two locked chests: the example to copy";
  }
  [[nodiscard]] std::vector<WorldSplit> splits() const override {
    return {{.name = "train", .description = "generated rooms"},
            {.name = "held_out",
             .description = "generated rooms of no training task",
             .held_out = true}};
  }
  [[nodiscard]] std::vector<Task> tasks(const WorldOptions& options) const override {
    check_options(*this, options, {});
    return draw_tasks(options, 50, toy::draw_task);
  }
  [[nodiscard]] std::unique_ptr<Environment> make_environment() const override {
    return std::make_unique<toy::ToyEnvironment>();
  }
  [[nodiscard]] std::unique_ptr<ActionMapperFactory> make_action_mapper_factory() const override {
    return std::make_unique<SimpleMapperFactory<ToyMapper>>();
  }
  [[nodiscard]] std::unique_ptr<Explainer> make_explainer() const override {
    return std::make_unique<ToyExplainer>();
  }
  [[nodiscard]] std::unique_ptr<ScriptedPolicy> make_policy(PolicyKind kind,
                                                            double noise) const override {
    if (kind == PolicyKind::kRandom) {
      return make_random_policy(std::make_unique<ToyMapper>());
    }
    return make_noisy_policy(std::make_unique<ToyExpert>(),
                             std::make_unique<ToyMapper>(),
                             kind == PolicyKind::kNoisy ? noise : 0);
  }
};

}  // namespace

std::unique_ptr<World> make_toy_world() {
  return std::make_unique<ToyWorld>();
}

}  // namespace dreamgym
