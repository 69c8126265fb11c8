// Teacher traces of shopping episodes: where the shopper is, what they chose, what a purchase met.
#pragma once

#include <memory>

#include "dreamgym/env/explainer.h"

namespace dreamgym::webshop {

/// "effect: new; at: results 1", "effect: done; at: item B09...; hold: black, large". On buying,
/// want and got say how much of type, attributes, options and price is met, from the engine's own
/// numbers in Transition::info; where a log lacks them, from the reward alone.
std::unique_ptr<Explainer> make_explainer();

}  // namespace dreamgym::webshop
