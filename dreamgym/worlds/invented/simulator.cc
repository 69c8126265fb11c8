#include "dreamgym/worlds/invented/simulator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/invented/phrasing.h"

namespace dreamgym::invented {
namespace {

std::vector<std::string> commands(const std::vector<Move>& moves) {
  std::vector<std::string> texts;
  texts.reserve(moves.size());
  for (const Move& move : moves) {
    texts.push_back(move.command);
  }
  return texts;
}

const Move* find_command(const std::vector<Move>& moves, std::string_view command) {
  const auto found = std::ranges::find(moves, command, &Move::command);
  return found == moves.end() ? nullptr : &*found;
}

/// Chooses the commands of one episode.
class Driver {
 public:
  Driver(Simulator& simulator, const Actor& actor, Rng& rng)
      : simulator_(simulator), actor_(actor), rng_(rng) {}

  std::string choose(const std::vector<Move>& moves) {
    std::string command =
        chance(actor_.noise, rng_) ? slip(moves) : simulator_.advise(rng_).command;
    history_.push_back(command);
    remember(moves);
    return command;
  }

 private:
  /// A mistake: any move, something done before (often a second look), or something that was
  /// possible earlier and may not be now.
  std::string slip(const std::vector<Move>& moves) {
    const double which = rng_.uniform();
    if (which < 0.4 && !history_.empty()) {
      return rng_.choose(history_);
    }
    if (which < 0.52 && !offered_.empty()) {
      return rng_.choose(offered_);
    }
    if (which < 0.55) {
      return cut_short(rng_.choose(moves).command);
    }
    return rng_.choose(moves).command;
  }

  static std::string cut_short(const std::string& command) {
    const std::size_t blank = command.rfind(' ');
    return blank == std::string::npos ? command + " it" : command.substr(0, blank);
  }

  /// Keeps a few of the moves that were possible.
  void remember(const std::vector<Move>& moves) {
    if (actor_.noise > 0) {
      offered_.push_back(rng_.choose(moves).command);
      offered_.push_back(rng_.choose(moves).command);
    }
  }

  Simulator& simulator_;
  const Actor& actor_;
  Rng& rng_;
  std::vector<std::string> history_;
  std::vector<std::string> offered_;
};

/// Some near-miss actors miss more than once.
bool errs_again(const Actor& actor, const Reply& reply, Rng& rng) {
  const bool has_missed = !reply.reached && reply.trace.find("want").has_value();
  return actor.kind == ActorKind::kNearMiss && has_missed && chance(0.35, rng);
}

void finish(Trajectory& trajectory, bool reached) {
  check(!trajectory.steps.empty(), "an episode has at least one step");
  Transition& last = trajectory.steps.back();
  last.truncated = !last.terminated;
  trajectory.outcome = reached           ? Outcome::kSuccess
                       : last.terminated ? Outcome::kFailure
                                         : Outcome::kTruncated;
  trajectory.episode_return = reached ? 1 : 0;
}

}  // namespace

std::string_view actor_kind_name(ActorKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "expert", "noisy", "near-miss", "random"};
  return kNames[static_cast<std::size_t>(kind)];
}

Actor draw_actor(Rng& rng) {
  static constexpr std::array<double, 4> kWeights = {0.4, 0.3, 0.2, 0.1};
  Actor actor;
  actor.kind = static_cast<ActorKind>(rng.categorical(kWeights));
  actor.step_limit = static_cast<std::size_t>(between(18, 28, rng));
  switch (actor.kind) {
    case ActorKind::kExpert:
      break;
    case ActorKind::kNoisy:
      actor.noise = 0.1 + 0.5 * rng.uniform();
      break;
    case ActorKind::kNearMiss:
      actor.noise = chance(0.5, rng) ? 0 : 0.1;
      break;
    case ActorKind::kRandom:
      actor.noise = 1;
      actor.step_limit = static_cast<std::size_t>(between(8, 20, rng));
      break;
  }
  return actor;
}

Trajectory play(Simulator& simulator, const Actor& actor, Rng rng) {
  Trajectory trajectory;
  const Opening opening = simulator.open();
  trajectory.task.instruction = opening.instruction;
  trajectory.task.world = "invented";
  trajectory.task.split = "train";
  trajectory.task.settings["kind"] = opening.kind;
  trajectory.policy_version = actor_kind_name(actor.kind);
  if (actor.kind == ActorKind::kNearMiss) {
    simulator.mislead(rng);
  }
  Driver driver(simulator, actor, rng);
  std::vector<Move> moves = simulator.moves();
  Observation observation{opening.text, commands(moves)};
  bool reached = false;
  for (bool over = false; !over && trajectory.steps.size() < actor.step_limit;) {
    Transition& step = trajectory.steps.emplace_back();
    step.action = driver.choose(moves);
    const Move* move = find_command(moves, step.action);
    Reply reply = simulator.apply(move);
    reached = reply.reached;
    if (errs_again(actor, reply, rng)) {
      simulator.mislead(rng);
    }
    over = reply.over || reply.reached;
    moves = over ? std::vector<Move>{} : simulator.moves();
    step.observation = std::exchange(observation, {std::move(reply.text), commands(moves)});
    step.action_valid = move != nullptr;
    step.reward = reached ? 1 : 0;
    step.next_observation = observation;
    step.terminated = over;
    step.reasoning_trace = to_text(reply.trace);
  }
  finish(trajectory, reached);
  return trajectory;
}

ReasoningTrace make_trace(std::string_view effect, std::string_view at, std::string_view hold) {
  ReasoningTrace trace;
  trace.fields.reserve(5);
  trace.add("effect", std::string(effect));
  trace.add("at", std::string(at));
  trace.add("hold", std::string(hold));
  return trace;
}

void add_here(ReasoningTrace& trace, const std::vector<std::string>& names) {
  trace.add("here", names_or_nothing(names));
}

void add_attempt(ReasoningTrace& trace, std::string_view want, std::string_view got) {
  trace.add("want", std::string(want));
  trace.add("got", std::string(got));
}

const Move* find_move(const std::vector<Move>& moves, int verb, int subject, int object) {
  for (const Move& move : moves) {
    if (move.verb == verb && (subject < 0 || move.subject == subject) &&
        (object < 0 || move.object == object)) {
      return &move;
    }
  }
  return nullptr;
}

}  // namespace dreamgym::invented
