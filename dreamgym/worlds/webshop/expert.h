// A shopper that is a program: searches, compares, looks at features, chooses options, buys.
#pragma once

#include <memory>

#include "dreamgym/env/scripted_policy.h"

namespace dreamgym::webshop {

/// Reads only what an agent sees (modes "text", "text_rich" and "abstract"). Opens the products whose titles
/// share most words with the instruction and that are not too dear, buys the first one that covers
/// all its words, or after a few the best one.
std::unique_ptr<ScriptedPolicy> make_expert();

}  // namespace dreamgym::webshop
