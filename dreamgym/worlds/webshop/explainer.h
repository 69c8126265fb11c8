// Teacher traces of shopping episodes: where the shopper is, what they chose, what a purchase met.
#pragma once

#include <memory>

#include "dreamgym/env/explainer.h"

namespace dreamgym::webshop {

/// "effect: new; at: page 1", "effect: new; at: b09...; meets: mouse black" (what was asked for that the
/// new page shows), "effect: done; at: b09...; hold: black, large". On buying, want and got
/// are the instruction's words and its price; got lacks what the purchase
/// missed, by the engine's own account in Transition::info; where a log lacks that, the words that
/// nothing shown of the product has. They are equal exactly on a reward of 1.
std::unique_ptr<Explainer> make_explainer();

}  // namespace dreamgym::webshop
