#include "dreamgym/worlds/alfworld/internal/compile_game.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

namespace dreamgym::alfworld {
namespace {

/// "sink_bar__minus_01_..._bar_sinkbasin" -> "sinkbasin"; "" for ids without a number.
std::string base_name(std::string_view id) {
  const std::size_t bar = id.find("_bar_");
  if (bar == std::string_view::npos) {
    return "";
  }
  return std::string(id.substr(0, bar)) + (contains(id, "basin") ? "basin" : "");
}

/// Displayed names of all ids: walking the sorted ids, a base's numbers count down to 1.
std::map<std::string_view, std::string> display_names(const GameDescription& description) {
  std::vector<std::string_view> ids(description.locations.begin(), description.locations.end());
  for (const auto& receptacle : description.receptacles) {
    ids.emplace_back(receptacle.id);
  }
  for (const auto& object : description.objects) {
    ids.emplace_back(object.id);
  }
  std::ranges::sort(ids);
  std::map<std::string, std::size_t> left;
  for (const std::string_view id : ids) {
    ++left[base_name(id)];
  }
  std::map<std::string_view, std::string> names;
  for (const std::string_view id : ids) {
    const std::string base = base_name(id);
    names[id] = base.empty() ? std::string(id) : fmt::format("{} {}", base, left[base]--);
  }
  return names;
}

template <class Thing>
std::vector<Index> order_by_name(const std::vector<Thing>& things) {
  std::vector<Index> order(things.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) -> const std::string& { return things[i].name; });
  return order;
}

std::uint8_t treatments_of(const std::string& type, const DomainRules& rules) {
  const auto bit_if = [&](const std::vector<std::string>& types, std::uint8_t bit) {
    return std::ranges::find(types, type) == types.end() ? std::uint8_t{0} : bit;
  };
  return static_cast<std::uint8_t>(bit_if(rules.sinks, kCleanable) |
                                   bit_if(rules.microwaves, kHeatable) |
                                   bit_if(rules.fridges, kCoolable));
}

void add_things(AlfredGame& game, const GameDescription& description, const DomainRules& rules) {
  const auto names = display_names(description);
  for (const std::string& location : description.locations) {
    game.location_names.push_back(names.at(location));
  }
  for (const ReceptacleDescription& given : description.receptacles) {
    GameReceptacle& receptacle = game.receptacles.emplace_back();
    receptacle.name = names.at(given.id);
    receptacle.type = given.type;
    receptacle.location = given.location;
    receptacle.openable = given.openable;
    receptacle.treatments = treatments_of(given.type, rules);
    receptacle.go = "go to " + receptacle.name;
    receptacle.open = "open " + receptacle.name;
    receptacle.close = "close " + receptacle.name;
    receptacle.examine = "examine " + receptacle.name;
  }
  for (const ObjectDescription& given : description.objects) {
    GameObject& object = game.objects.emplace_back();
    object.name = names.at(given.id);
    object.type = given.type;
    object.abilities = given.abilities;
    object.is_knife = std::ranges::find(rules.knives, given.type) != rules.knives.end();
    object.contents = given.contents;
    object.use = "use " + object.name;
    object.examine = "examine " + object.name;
  }
  game.receptacles_by_name = order_by_name(game.receptacles);
  game.objects_by_name = order_by_name(game.objects);
  for (Index i = 0; i < game.receptacles.size(); ++i) {
    game.by_name[game.receptacles[i].name] = {EntityKind::kReceptacle, i};
  }
  for (Index i = 0; i < game.objects.size(); ++i) {
    game.by_name[game.objects[i].name] = {EntityKind::kObject, i};
  }
}

void add_layout(AlfredGame& game, const GameDescription& description) {
  game.layout.num_objects = game.objects.size();
  game.layout.receptacle_words = (game.receptacles.size() + 63) / 64;
  game.layout.location_words = (game.location_names.size() + 63) / 64;
  const std::size_t words = game.layout.receptacle_words;
  game.receptacles_at.assign(game.location_names.size() * words, 0);
  for (Index i = 0; i < game.receptacles.size(); ++i) {
    if (game.receptacles[i].location != kNone) {
      set_bit(game.receptacles_at.data() + game.receptacles[i].location * words, i);
    }
  }
  std::map<std::string, std::vector<std::uint64_t>> fits;  // by object type
  for (const auto& [receptacle_type, object_type] : description.can_contain) {
    auto& set = fits.try_emplace(object_type, words, 0).first->second;
    for (Index i = 0; i < game.receptacles.size(); ++i) {
      if (game.receptacles[i].type == receptacle_type) {
        set_bit(set.data(), i);
      }
    }
  }
  for (GameObject& object : game.objects) {
    const auto found = fits.find(object.type);
    object.fits_in = found == fits.end() ? std::vector<std::uint64_t>(words, 0) : found->second;
  }
}

void add_initial_state(AlfredGame& game, const GameDescription& description) {
  GameState& state = game.initial;
  state.location = description.agent_location;
  state.bits.assign(game.layout.num_words(), 0);
  for (Index i = 0; i < description.receptacles.size(); ++i) {
    if (description.receptacles[i].opened) {
      set_bit(state.bits.data(), i);
    }
  }
  for (Index i = 0; i < description.objects.size(); ++i) {
    const ObjectDescription& object = description.objects[i];
    state.conditions.push_back(object.conditions);
    for (const Index receptacle : object.inside) {
      set_bit(state.bits.data() + game.layout.inside(i), receptacle);
    }
    for (const Index location : object.at) {
      set_bit(state.bits.data() + game.layout.at(i), location);
    }
  }
}

void add_goal(AlfredGame& game, const Goal& goal) {
  game.goal = goal;
  GoalTest& test = game.goal_test;
  test.type = goal.type;
  test.receptacles.assign(game.layout.receptacle_words, 0);
  const std::uint8_t able = goal.type == TaskType::kClean  ? kCleanable
                            : goal.type == TaskType::kHeat ? kHeatable
                            : goal.type == TaskType::kCool ? kCoolable
                                                           : 0;
  test.condition = goal.type == TaskType::kClean  ? kClean
                   : goal.type == TaskType::kHeat ? kHot
                   : goal.type == TaskType::kCool ? kCool
                                                  : 0;
  for (Index i = 0; i < game.objects.size(); ++i) {
    const GameObject& object = game.objects[i];
    if (object.type == goal.object && (object.abilities & able) == able) {
      test.objects.push_back(i);
    }
    if (object.type == goal.lamp && (object.abilities & kToggleable) != 0) {
      test.lamps.push_back(i);
    }
  }
  for (Index i = 0; i < game.receptacles.size(); ++i) {
    if (game.receptacles[i].type == goal.receptacle) {
      set_bit(test.receptacles.data(), i);
    }
  }
}

Dialect dialect_of(const TextGrammar& grammar, const std::string& source) {
  const auto& put = grammar.actions[static_cast<std::size_t>(ActionKind::kPut)];
  const auto& open = grammar.actions[static_cast<std::size_t>(ActionKind::kOpen)];
  if (put.command.starts_with("move")) {
    return Dialect::kV04;
  }
  std::string_view start;
  if (!open.feedback.empty() && open.feedback.front().kind == NodeKind::kRule) {
    const Rule& rule = grammar.rules[open.feedback.front().rule];
    start = rule.empty() || rule.front().nodes.empty()
                ? ""
                : std::string_view(rule.front().nodes.front().text);
  }
  if (start == "You open the ") {
    return Dialect::kV03;
  }
  if (start == "You open ") {
    return Dialect::k2020;
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: unknown dialect: OpenObject's reply begins \"{}\", expected "
                          "\"You open the \" or \"You open \"",
                          source,
                          start),
              "this program reads alfworld 0.2 to 0.4 and the 2020 downloads");
}

std::shared_ptr<AlfredGame> compile_things(const GameDescription& description,
                                           const DomainRules& rules) {
  auto game = std::make_shared<AlfredGame>();
  add_things(*game, description, rules);
  add_layout(*game, description);
  add_initial_state(*game, description);
  add_goal(*game, description.goal);
  return game;
}

}  // namespace

std::shared_ptr<const AlfredGame> compile_rules(const GameDescription& description,
                                                const DomainRules& rules) {
  return compile_things(description, rules);
}

std::shared_ptr<const AlfredGame> compile_game(const GameDescription& description,
                                               const DomainRules& rules,
                                               TextGrammar grammar,
                                               const std::string& source) {
  auto game = compile_things(description, rules);
  game->source = source;
  game->dialect = dialect_of(grammar, source);
  game->has_help = grammar.actions[static_cast<std::size_t>(ActionKind::kHelp)].exists;
  game->task = grammar.task;
  game->grammar = std::make_unique<TextGrammar>(std::move(grammar));
  render(*game, game->initial, game->grammar->intro, Bindings(), game->opening_text);
  render(*game, game->initial, game->grammar->room, Bindings(), game->opening_room);
  return game;
}

}  // namespace dreamgym::alfworld
