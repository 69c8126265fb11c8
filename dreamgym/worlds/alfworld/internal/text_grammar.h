// The texts of a game, compiled from the TextWorld grammar (.twl2) inside its file.
//
// A rule is a list of productions; the first whose condition has a match in the state is taken.
// Its text holds names of bound variables, other rules, and lists over queries. Variables have a
// fixed kind; variables of one kind never take the same value (as in TextWorld's logic).
// Thread safety: immutable after parse_text_grammar; render functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

using Slot = std::uint8_t;  ///< number of a variable
inline constexpr Slot kNoSlot = 0xff;
inline constexpr std::size_t kMaxSlots = 12;

enum class Predicate : std::uint8_t {
  kOpenable,
  kOpened,
  kToggleable,
  kIsToggled,
  kIsOn,
  kIsClean,
  kIsHot,
  kIsCool,
  kIsSliced,
  kSliceable,
  kPickupable,
  kIsReceptacleObject,
  kHoldsAny,              // (agent)
  kHolds,                 // (agent, object)
  kAtLocation,            // (agent, location)
  kReceptacleAtLocation,  // (receptacle, location)
  kObjectAtLocation,      // (object, location)
  kInReceptacle,          // (object, receptacle)
  kInReceptacleObject,    // (object, object)
  kNotInReceptacle,       // (object, receptacle): was taken out and not put back
  kNever,                 // negated facts the reference engine never stores
};

struct QueryAtom {
  Predicate predicate = Predicate::kNever;
  Slot first = kNoSlot;
  Slot second = kNoSlot;
};
using Query = std::vector<QueryAtom>;

enum class NodeKind : std::uint8_t {
  kText,    ///< text
  kName,    ///< the displayed name of a variable
  kRule,    ///< another rule
  kForEach  ///< children for each match of the query, joined as a list
};

struct TextNode {
  NodeKind kind = NodeKind::kText;
  bool joined = false;  ///< kForEach: as a list ("a, and b"); else one after the other
  Slot slot = kNoSlot;
  std::uint16_t rule = 0;
  std::string text;
  Query query;
  std::vector<TextNode> children;
};

struct Production {
  Query condition;
  std::vector<TextNode> nodes;
};
using Rule = std::vector<Production>;

/// What the grammar says about one action of the domain.
struct ActionTexts {
  bool exists = false;
  std::string command;  ///< template, e.g. "take {o} from {r}"
  std::vector<TextNode> feedback;
};

struct TextGrammar {
  std::vector<Rule> rules;
  std::vector<EntityKind> slot_kinds;
  std::array<ActionTexts, kNumActionKinds> actions;
  std::vector<TextNode> intro;
  std::vector<TextNode> room;  ///< look's text, as the intro shows it
  std::string task;            ///< the sentence, without "Your task is to: "
  /// Slots of the actions' parameters.
  Slot agent = kNoSlot, location = kNoSlot, start = kNoSlot, end = kNoSlot, receptacle = kNoSlot,
       object = kNoSlot, sliced = kNoSlot, knife = kNoSlot;
  std::uint16_t list_empty = 0, list_separator = 0, list_last_separator = 0;
};

/// @param action_names  actions of the domain, lower-cased ("gotolocation", ...), which must have
///                      a command and a feedback.
/// @param source        what errors call the game.
/// @throws Error kParse or kUnsupported.
TextGrammar parse_text_grammar(std::string_view grammar,
                               const std::vector<std::string>& action_names,
                               const std::string& source);

/// The built-in wording of a dialect with the task's sentence filled in; parsed once.
TextGrammar builtin_text_grammar(Dialect dialect, std::string_view task);

/// Values of the variables.
struct Bindings {
  std::array<Index, kMaxSlots> values;
  Bindings() { values.fill(kNone); }
};

/// Appends the nodes' text.
void render(const AlfredGame& game,
            const GameState& state,
            const std::vector<TextNode>& nodes,
            const Bindings& bindings,
            std::string& text);

}  // namespace dreamgym::alfworld
