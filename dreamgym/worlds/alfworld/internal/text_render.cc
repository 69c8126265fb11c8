#include <algorithm>

#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

namespace dreamgym::alfworld {
namespace {

/// Finds values of variables for which all facts of a query hold.
class Matcher {
 public:
  Matcher(const AlfredGame& game, const GameState& state, const Query& query)
      : game_(game), state_(state), query_(query), kinds_(game.grammar->slot_kinds) {}

  /// Calls visit(bindings) for each match, in the order of sorted facts; stops when it says true.
  template <class Visit>
  bool each(Bindings& bindings, const Visit& visit, std::size_t depth = 0) const {
    if (depth == query_.size()) {
      return visit(bindings);
    }
    const QueryAtom& atom = query_[depth];
    return each_value(bindings, atom.first, [&] {
      return each_value(bindings, atom.second, [&] {
        return holds(atom, bindings) && each(bindings, visit, depth + 1);
      });
    });
  }

 private:
  [[nodiscard]] Index count(EntityKind kind) const {
    switch (kind) {
      case EntityKind::kAgent:
        return 1;
      case EntityKind::kLocation:
        return static_cast<Index>(game_.location_names.size());
      case EntityKind::kReceptacle:
        return static_cast<Index>(game_.receptacles.size());
      case EntityKind::kObject:
        return static_cast<Index>(game_.objects.size());
    }
    return 0;
  }

  /// Another variable of the same kind has this value already.
  [[nodiscard]] bool taken(const Bindings& bindings, Slot slot, Index value) const {
    for (Slot other = 0; other < kinds_.size(); ++other) {
      if (other != slot && kinds_[other] == kinds_[slot] && bindings.values[other] == value) {
        return true;
      }
    }
    return false;
  }

  template <class Visit>
  bool each_value(Bindings& bindings, Slot slot, const Visit& visit) const {
    if (slot == kNoSlot || bindings.values[slot] != kNone) {
      return visit();
    }
    for (Index value = 0; value < count(kinds_[slot]); ++value) {
      if (taken(bindings, slot, value)) {
        continue;
      }
      bindings.values[slot] = value;
      if (visit()) {
        bindings.values[slot] = kNone;
        return true;
      }
    }
    bindings.values[slot] = kNone;
    return false;
  }

  [[nodiscard]] bool condition(Index object, Condition bit) const {
    return (state_.conditions[object] & bit) != 0;
  }
  [[nodiscard]] bool ability(Index object, Ability bit) const {
    return (game_.objects[object].abilities & bit) != 0;
  }

  [[nodiscard]] bool holds(const QueryAtom& atom, const Bindings& bindings) const {
    const Index first = bindings.values[atom.first];
    const Index second = atom.second == kNoSlot ? kNone : bindings.values[atom.second];
    switch (atom.predicate) {
      case Predicate::kOpenable:
        return game_.receptacles[first].openable;
      case Predicate::kOpened:
        return test_bit(state_.opened(), first);
      case Predicate::kToggleable:
        return ability(first, kToggleable);
      case Predicate::kIsToggled:
        return condition(first, kToggled);
      case Predicate::kIsOn:
        return condition(first, kOn);
      case Predicate::kIsClean:
        return condition(first, kClean);
      case Predicate::kIsHot:
        return condition(first, kHot);
      case Predicate::kIsCool:
        return condition(first, kCool);
      case Predicate::kIsSliced:
        return condition(first, kSliced);
      case Predicate::kSliceable:
        return ability(first, kSliceable);
      case Predicate::kPickupable:
        return ability(first, kPickupable);
      case Predicate::kIsReceptacleObject:
        return ability(first, kHoldsThings);
      default:
        return relation(atom.predicate, first, second);
    }
  }

  [[nodiscard]] bool relation(Predicate predicate, Index first, Index second) const {
    switch (predicate) {
      case Predicate::kHoldsAny:
        return state_.held != kNone;
      case Predicate::kHolds:
        return state_.held == second;
      case Predicate::kAtLocation:
        return state_.location == second;
      case Predicate::kReceptacleAtLocation:
        return game_.receptacles[first].location == second;
      case Predicate::kObjectAtLocation:
        return test_bit(state_.at(game_.layout, first), second);
      case Predicate::kInReceptacle:
        return test_bit(state_.inside(game_.layout, first), second);
      case Predicate::kNotInReceptacle:
        return test_bit(state_.left(game_.layout, first), second);
      case Predicate::kInReceptacleObject:
        return std::ranges::find(game_.objects[second].contents, first) !=
               game_.objects[second].contents.end();
      default:
        return false;
    }
  }

  const AlfredGame& game_;
  const GameState& state_;
  const Query& query_;
  const std::vector<EntityKind>& kinds_;
};

const std::string& name_of(const AlfredGame& game, Slot slot, Index index) {
  static const std::string kAgentName = "agent1";
  switch (game.grammar->slot_kinds[slot]) {
    case EntityKind::kLocation:
      return game.location_names[index];
    case EntityKind::kReceptacle:
      return game.receptacles[index].name;
    case EntityKind::kObject:
      return game.objects[index].name;
    case EntityKind::kAgent:
      break;
  }
  return kAgentName;
}

struct Writer {
  const AlfredGame& game;
  const GameState& state;
  std::string& text;

  void nodes(const std::vector<TextNode>& nodes, const Bindings& bindings) const {
    for (const TextNode& node : nodes) {
      switch (node.kind) {
        case NodeKind::kText:
          text += node.text;
          break;
        case NodeKind::kName:
          text += name_of(game, node.slot, bindings.values[node.slot]);
          break;
        case NodeKind::kRule:
          rule(node.rule, bindings);
          break;
        case NodeKind::kForEach:
          for_each(node, bindings);
          break;
      }
    }
  }

  /// The condition only chooses: what it binds is not seen by the text.
  void rule(std::uint16_t index, const Bindings& bindings) const {
    for (const Production& production : game.grammar->rules[index]) {
      Bindings scratch = bindings;
      if (Matcher(game, state, production.condition).each(scratch, [](const Bindings&) {
            return true;
          })) {
        nodes(production.nodes, bindings);
        return;
      }
    }
  }

  void for_each(const TextNode& node, const Bindings& bindings) const {
    Bindings scratch = bindings;
    std::size_t count = 0;
    std::size_t last_separator = 0;  // where the separator before the latest item begins
    std::size_t last_item = 0;
    Matcher(game, state, node.query).each(scratch, [&](const Bindings& match) {
      if (count++ > 0 && node.joined) {
        last_separator = text.size();
        rule(game.grammar->list_separator, bindings);
      }
      last_item = text.size();
      nodes(node.children, match);
      return false;
    });
    if (count == 0 && node.joined) {
      rule(game.grammar->list_empty, bindings);
    } else if (count > 1 && node.joined) {
      const std::string item = text.substr(last_item);
      text.resize(last_separator);
      rule(game.grammar->list_last_separator, bindings);
      text += item;
    }
  }
};

}  // namespace

void render(const AlfredGame& game,
            const GameState& state,
            const std::vector<TextNode>& nodes,
            const Bindings& bindings,
            std::string& text) {
  Writer{game, state, text}.nodes(nodes, bindings);
}

}  // namespace dreamgym::alfworld
