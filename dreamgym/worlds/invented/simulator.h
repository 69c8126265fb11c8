// What every invented world is, and how scripted actors play it into explained trajectories.
//
// A world knows its whole state; its actors know only what its texts have shown. Thread safety:
// none; one thread per object.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/data/types.h"

namespace dreamgym::invented {

/// A command that does something now. What the numbers stand for is the world's own business.
struct Move {
  int verb = 0;
  int subject = -1;
  int object = -1;
  std::string command;
};

struct Reply {
  std::string text;
  ReasoningTrace trace;
  bool reached = false;  ///< the task is fulfilled, which ends the episode
  bool over = false;     ///< the episode ends
};

struct Opening {
  std::string kind;  ///< of world and task, e.g. "shop/wish"
  std::string instruction;
  std::string text;
};

class Simulator {
 public:
  virtual ~Simulator() = default;
  [[nodiscard]] virtual Opening open() const = 0;
  /// All commands that do something now, each once; never empty before the end.
  [[nodiscard]] virtual std::vector<Move> moves() const = 0;
  /// @param move  one of moves(), or null for a command that does nothing now.
  virtual Reply apply(const Move* move) = 0;
  /// What a competent actor does next who knows only what was shown; one of moves().
  virtual Move advise(Rng& rng) = 0;
  /// From now on advise() works towards a near miss (another object, another place, a step left
  /// out), until that attempt has been made.
  virtual void mislead(Rng& rng) = 0;
};

enum class ActorKind { kExpert, kNoisy, kNearMiss, kRandom };

/// "expert", "noisy", "near-miss", "random": the trajectory's policy_version.
std::string_view actor_kind_name(ActorKind kind);

struct Actor {
  ActorKind kind = ActorKind::kExpert;
  double noise = 0;  ///< probability of a slip at each step
  std::size_t step_limit = 25;
};

/// A random actor: half of them competent, the others noisy, near misses or random.
Actor draw_actor(Rng& rng);

/// Plays one episode. Every step carries a trace and the moves of its moment; the caller fills
/// episode_id, seed, task id and source.
Trajectory play(Simulator& simulator, const Actor& actor, Rng rng);

/// The trace every step begins with.
ReasoningTrace make_trace(std::string_view effect, std::string_view at, std::string_view hold);
/// States what is at the place after a change; goes between "hold" and an attempt.
void add_here(ReasoningTrace& trace, const std::vector<std::string>& names);
void add_attempt(ReasoningTrace& trace, std::string_view want, std::string_view got);

/// The move of that verb, subject and object, or null. -1 as subject or object matches any.
const Move* find_move(const std::vector<Move>& moves, int verb, int subject = -1, int object = -1);

}  // namespace dreamgym::invented
