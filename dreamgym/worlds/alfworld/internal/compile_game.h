// From a description and texts to a compiled game.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/worlds/alfworld/game.h"
#include "dreamgym/worlds/alfworld/internal/domain_rules.h"
#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

namespace dreamgym::alfworld {

std::shared_ptr<const AlfredGame> compile_game(const GameDescription& description,
                                               const DomainRules& rules,
                                               TextGrammar grammar,
                                               const std::string& source);

/// Without texts: enough for the rules (possible, apply, goal), not for replies.
std::shared_ptr<const AlfredGame> compile_rules(const GameDescription& description,
                                                const DomainRules& rules);

}  // namespace dreamgym::alfworld
