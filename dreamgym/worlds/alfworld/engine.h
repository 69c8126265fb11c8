// The rules: which commands are possible, what they do, what they say, when the goal is reached.
//
// Byte for byte the reference engine (alfworld 0.4.2 on TextWorld 1.7.0): tests replay its
// transcripts. Thread safety: pure functions of (game, state).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

/// A command in the game's indices. What `first` and `second` are depends on the kind:
/// kTake/kPut/kClean/kHeat/kCool: object, receptacle; kSlice: object, knife; others: the one thing.
struct Command {
  ActionKind kind = ActionKind::kLook;
  Index first = kNone;
  Index second = kNone;
  bool operator==(const Command&) const = default;
};

inline constexpr std::string_view kNothingHappens = "Nothing happens.";

/// Reads a command, surrounding blanks stripped; nothing if it is of no known form or names
/// something that is not there. Says nothing about whether it is possible now.
std::optional<Command> parse_command(const AlfredGame& game, std::string_view text);
/// The command's text.
std::string command_text(const AlfredGame& game, const Command& command);

bool is_possible(const AlfredGame& game, const GameState& state, const Command& command);
/// Changes the state; the command must be possible.
void apply_command(const AlfredGame& game, GameState& state, const Command& command);

/// Takes one command in text form. Appends the reply to `reply`.
/// @return the command, or nothing if it was not possible ("Nothing happens.").
std::optional<Command> play_command(const AlfredGame& game,
                                    GameState& state,
                                    std::string_view text,
                                    std::string& reply);

/// Every possible command, sorted as strings, as the reference engine lists them.
/// @param commands  overwritten; its strings' memory is used again.
void list_commands(const AlfredGame& game,
                   const GameState& state,
                   std::vector<std::string>& commands);

bool goal_reached(const AlfredGame& game, const GameState& state);

/// True if the receptacle is not closed.
bool is_accessible(const AlfredGame& game, const GameState& state, Index receptacle);
/// True if the receptacle is at the agent's location.
bool is_here(const AlfredGame& game, const GameState& state, Index receptacle);

}  // namespace dreamgym::alfworld
