#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"
#include "dreamgym/worlds/alfworld/explainer.h"
#include "dreamgym/worlds/alfworld/internal/trace_writer.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym::alfworld {
namespace {

/// Some clients cut "You arrive at loc 24. " off, others write "You arrive at the location. ".
std::string_view without_arrival(std::string_view reply) {
  if (reply.starts_with("You arrive at ")) {
    const std::size_t end = reply.find(". ");
    return end == std::string_view::npos ? reply : reply.substr(end + 2);
  }
  return reply;
}

Condition condition_of(ActionKind kind) {
  return kind == ActionKind::kClean ? kClean : kind == ActionKind::kHeat ? kHot : kCool;
}

/// Plays a trajectory's actions and keeps the causes beside the engine's state.
class Replay {
 public:
  explicit Replay(const AlfredGame& game)
      : game_(game),
        state_(game.initial),
        shown_(game.receptacles.size(), false),
        treated_(game.objects.size(), 0) {}

  /// @return false if the engine replies otherwise.
  bool step(const Transition& step, ReasoningTrace& trace) {
    const bool was_reached = goal_reached(game_, state_);
    std::string reply;
    const auto command = play_command(game_, state_, step.action, reply);
    if (without_arrival(reply) != without_arrival(step.next_observation.text)) {
      return false;
    }
    memory_.observe(step.action, reply);
    const Reply read = read_reply(reply);
    const TraceFacts facts = {effect_of(command),
                              at_,
                              held_name(),
                              held_conditions(),
                              memory_.changed_here(read),
                              read.contents};
    const bool reached = goal_reached(game_, state_) && !was_reached;
    trace = write_trace(facts, game_.goal, attempt_of(command), reached);
    return true;
  }

 private:
  [[nodiscard]] std::string held_name() const {
    return state_.held == kNone ? "" : game_.objects[state_.held].name;
  }
  [[nodiscard]] std::string held_type() const {
    return state_.held == kNone ? "" : game_.objects[state_.held].type;
  }
  [[nodiscard]] std::vector<std::string> held_conditions() const {
    std::vector<std::string> words;
    if (state_.held != kNone) {
      const int bits = treated_[state_.held] & state_.conditions[state_.held];
      for (const auto& [bit, word] : {std::pair{kClean, "clean"}, {kHot, "hot"}, {kCool, "cool"}}) {
        if ((bits & bit) != 0) {
          words.emplace_back(word);
        }
      }
    }
    return words;
  }

  std::string show(Index receptacle) {
    if (!is_accessible(game_, state_, receptacle)) {
      return std::string(effects::kClosed);
    }
    const bool again = shown_[receptacle];
    shown_[receptacle] = true;
    return std::string(again ? effects::kAgain : effects::kNew);
  }

  std::string effect_of(const std::optional<Command>& command) {
    if (!command) {
      return std::string(effects::kInvalid);
    }
    switch (command->kind) {
      case ActionKind::kGo:
        at_ = game_.receptacles[command->first].name;
        return show(command->first);
      case ActionKind::kOpen:
      case ActionKind::kExamineReceptacle:
        return show(command->first);
      case ActionKind::kTake:
      case ActionKind::kPut:
        return std::string(effects::kMoved);
      case ActionKind::kClean:
      case ActionKind::kHeat:
      case ActionKind::kCool:
        treated_[command->first] =
            static_cast<std::uint8_t>(treated_[command->first] | condition_of(command->kind));
        return std::string(effects::kDone);
      default:
        return std::string(effects::kDone);
    }
  }

  [[nodiscard]] std::size_t count(Index object, Index receptacle) const {
    std::size_t found = 0;
    for (Index other = 0; other < game_.objects.size(); ++other) {
      const bool same = game_.objects[other].type == game_.objects[object].type;
      found += same && test_bit(state_.inside(game_.layout, other), receptacle) ? 1 : 0;
    }
    return found;
  }

  /// A lamp of the goal's kind is on at the agent's location.
  [[nodiscard]] bool lit_here() const {
    return std::ranges::any_of(game_.goal_test.lamps, [&](Index lamp) {
      return (state_.conditions[lamp] & kToggled) != 0 &&
             is_possible(game_, state_, {ActionKind::kUse, lamp, kNone});
    });
  }

  [[nodiscard]] Attempt attempt_of(const std::optional<Command>& command) const {
    Attempt attempt;
    if (!command) {
      return attempt;
    }
    if (game_.goal.type == TaskType::kLight && lit_here()) {
      attempt = {true, true, held_type(), game_.goal.lamp, false, 0};
    }
    if (command->kind == ActionKind::kUse) {
      attempt = {true, true, held_type(), game_.objects[command->first].type, false, 0};
    } else if (command->kind == ActionKind::kPut) {
      const int known = treated_[command->first] & state_.conditions[command->first];
      attempt = {true,
                 false,
                 game_.objects[command->first].type,
                 game_.receptacles[command->second].type,
                 (known & game_.goal_test.condition) != 0,
                 count(command->first, command->second)};
    }
    return attempt;
  }

  const AlfredGame& game_;
  GameState state_;
  std::vector<bool> shown_;
  std::vector<std::uint8_t> treated_;  ///< conditions the agent gave the object itself
  std::string at_;
  EpisodeMemory memory_;  ///< the order in which lists were shown, which the engine's state does not keep
};

class ExactExplainer final : public Explainer {
 public:
  explicit ExactExplainer(std::shared_ptr<GameLibrary> library) : library_(std::move(library)) {}

  void explain(Trajectory& trajectory) const override {
    check_world(trajectory, "alfworld");
    const auto game = library_->find(trajectory.task);
    Replay replay(*game);
    std::vector<std::string> traces;
    for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
      ReasoningTrace trace;
      if (!replay.step(trajectory.steps[i], trace)) {
        throw Error(ErrorKind::kInvalidArgument,
                    fmt::format("episode \"{}\", step {}: the game {} replies otherwise to \"{}\"",
                                trajectory.episode_id,
                                i,
                                game->source,
                                shorten(trajectory.steps[i].action, 80)),
                    "explain it from its text, or name the right game and dialect");
      }
      traces.push_back(to_text(trace));
    }
    for (std::size_t i = 0; i < traces.size(); ++i) {
      trajectory.steps[i].reasoning_trace = std::move(traces[i]);
    }
  }

 private:
  std::shared_ptr<GameLibrary> library_;
};

class BestExplainer final : public Explainer {
 public:
  explicit BestExplainer(std::shared_ptr<GameLibrary> library)
      : exact_(make_exact_explainer(std::move(library))), text_(make_text_explainer()) {}

  void explain(Trajectory& trajectory) const override {
    if (trajectory.provenance == Provenance::kReal) {
      try {
        exact_->explain(trajectory);
        return;
      } catch (const Error& error) {
        // No game, or not this one: its text is all there is.
        if (error.kind() != ErrorKind::kNotFound && error.kind() != ErrorKind::kInvalidArgument) {
          throw;
        }
      }
    }
    text_->explain(trajectory);
  }

 private:
  std::unique_ptr<Explainer> exact_;
  std::unique_ptr<Explainer> text_;
};

}  // namespace

std::unique_ptr<Explainer> make_exact_explainer(std::shared_ptr<GameLibrary> library) {
  return std::make_unique<ExactExplainer>(std::move(library));
}

std::unique_ptr<Explainer> make_best_explainer(std::shared_ptr<GameLibrary> library) {
  return std::make_unique<BestExplainer>(std::move(library));
}

}  // namespace dreamgym::alfworld
