// One ALFWorld game, compiled: immutable, shared by all of its episodes.
//
// Source of the rules: alfworld @ ca981941 and its PDDL domain; of the texts: the grammar inside
// the game file, which is interpreted, not hard-coded. Everything that does not change in an
// episode is worked out here once: names, numbers, command strings, who stands where.
// Thread safety: immutable after build_game.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/alfworld/game_description.h"
#include "dreamgym/worlds/alfworld/game_state.h"

namespace dreamgym::alfworld {

struct TextGrammar;

/// Wording of commands and replies.
enum class Dialect {
  kV04,   ///< alfworld >= 0.4: "move mug 1 to desk 1", "You arrive at desk 1.", help
  kV03,   ///< 0.2 - 0.3: "put mug 1 in/on desk 1", "You arrive at loc 24."
  k2020,  ///< first downloads: as 0.3, but no articles
};
/// "0.4", "0.3", "2020".
std::string_view dialect_name(Dialect dialect);
/// @throws Error kInvalidArgument naming the allowed ones.
Dialect dialect_from_name(std::string_view name);

enum class EntityKind : std::uint8_t { kAgent, kLocation, kReceptacle, kObject };

struct Entity {
  EntityKind kind = EntityKind::kAgent;
  Index index = kNone;
};

/// The actions of the domain, in the order of their commands ("clean ..." < ... < "use ...").
enum class ActionKind : std::uint8_t {
  kClean,
  kClose,
  kCool,
  kExamineObject,
  kExamineReceptacle,
  kGo,
  kHeat,
  kHelp,
  kInventory,
  kLook,
  kOpen,
  kPut,
  kSlice,
  kTake,
  kUse,
};
inline constexpr std::size_t kNumActionKinds = 15;

struct GameReceptacle {
  std::string name;  ///< e.g. "sinkbasin 1"
  std::string type;  ///< e.g. "sinkbasin"
  Index location = kNone;
  bool openable = false;
  std::uint8_t treatments = 0;           ///< of Ability: kCleanable at a sink, kHeatable, kCoolable
  std::string go, open, close, examine;  ///< its commands
};

struct GameObject {
  std::string name;
  std::string type;
  std::uint8_t abilities = 0;
  bool is_knife = false;
  std::vector<Index> contents;
  std::string use, examine;            ///< its commands
  std::vector<std::uint64_t> fits_in;  ///< [receptacle_words] bits: receptacles that may hold it
};

/// The goal in the game's own indices.
struct GoalTest {
  TaskType type = TaskType::kPlace;
  std::uint8_t condition = 0;              ///< of Condition, that the object must have
  std::vector<Index> objects;              ///< of the wanted type (and treatable)
  std::vector<std::uint64_t> receptacles;  ///< [receptacle_words] bits: of the wanted type
  std::vector<Index> lamps;                ///< toggleable, of the wanted type
};

struct AlfredGame {
  AlfredGame();
  ~AlfredGame();
  AlfredGame(const AlfredGame&) = delete;
  AlfredGame& operator=(const AlfredGame&) = delete;

  std::string source;  ///< path of the file, or the generated game's id
  Dialect dialect = Dialect::kV04;
  bool has_help = false;
  std::string task;  ///< the sentence, e.g. "put some mug on desk."
  Goal goal;
  GoalTest goal_test;
  std::vector<std::string> location_names;
  std::vector<GameReceptacle> receptacles;  ///< in the order of lists in texts (ids sorted)
  std::vector<GameObject> objects;          ///< the same
  std::vector<Index> receptacles_by_name;   ///< in the order of commands
  std::vector<Index> objects_by_name;
  StateLayout layout;
  std::vector<std::uint64_t> receptacles_at;  ///< [locations][receptacle_words] bits
  GameState initial;
  std::string opening_text;  ///< the first observation
  std::string opening_room;  ///< its part without welcome and task: "You are in the middle ..."
  std::unique_ptr<const TextGrammar> grammar;

  [[nodiscard]] const std::uint64_t* here(Index location) const {
    return receptacles_at.data() + std::size_t{location} * layout.receptacle_words;
  }
  /// The entity of a displayed name.
  [[nodiscard]] std::optional<Entity> find(std::string_view name) const;

  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  std::unordered_map<std::string, Entity, NameHash, std::equal_to<>> by_name;
};

struct LoadOptions {
  /// Wording to use instead of the file's own.
  std::optional<Dialect> dialect;
};

/// Reads a game.tw-pddl file.
/// @throws Error kNotFound, kIo, kParse (truncated, not JSON, a key is missing), kUnsupported
///               (unknown dialect or rules), each naming the path, what was expected and what to
///               do.
std::shared_ptr<const AlfredGame> load_game(const Path& path, const LoadOptions& options = {});

/// The same from a file's content.
/// @param source  what errors call it.
std::shared_ptr<const AlfredGame> parse_game(std::string_view json,
                                             const std::string& source,
                                             const LoadOptions& options = {});

/// What a game file's content states.
GameDescription parse_game_description(std::string_view json, const std::string& source);

/// Compiles a description with the built-in wording of a dialect (kV04 or kV03).
std::shared_ptr<const AlfredGame> build_game(const GameDescription& description,
                                             const std::string& source,
                                             Dialect dialect);

}  // namespace dreamgym::alfworld
