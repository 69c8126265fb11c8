// From a description and texts to a compiled game.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dreamgym/worlds/alfworld/game.h"
#include "dreamgym/worlds/alfworld/internal/domain_rules.h"

namespace dreamgym::alfworld {

std::shared_ptr<const AlfredGame> compile_game(const GameDescription& description,
                                               const DomainRules& rules,
                                               std::string_view grammar,
                                               const std::string& source);

}  // namespace dreamgym::alfworld
