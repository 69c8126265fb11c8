// Teacher traces for ALFWorld: what an action did, where the agent is, what it holds, and on each
// attempt at the goal what was wanted and what was got.
//
//   effect: new; at: desk 1; hold: nothing; find: mug
//   effect: moved; at: cabinet 1; hold: nothing; here: mug 1; want: hot mug in cabinet; got: mug in cabinet
//
// find says which of the goal's things a first look shows. want equals got exactly when the step reached the goal. An attempt is every valid put and use,
// and every valid step of a light task beside a lamp that has been turned on (holding the object
// there is what counts). States in "hold" are those the agent could know: it saw itself clean,
// heat or cool the object.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/env/explainer.h"
#include "dreamgym/worlds/alfworld/game_library.h"

namespace dreamgym::alfworld {

/// Reads instruction and texts only; works for logs whose game is not there.
std::unique_ptr<Explainer> make_text_explainer();

/// Replays the engine and reads its causes.
/// explain() throws Error kNotFound if the task's game is not there, kInvalidArgument if the
/// engine's replies are not the trajectory's.
std::unique_ptr<Explainer> make_exact_explainer(std::shared_ptr<GameLibrary> library);

/// Exact where the game is there and agrees with the trajectory, else from the text.
std::unique_ptr<Explainer> make_best_explainer(std::shared_ptr<GameLibrary> library);

}  // namespace dreamgym::alfworld
