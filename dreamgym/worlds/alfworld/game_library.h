// Games shared by all episodes: from files or generated, made once, kept as long as there is room.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dreamgym/base/mutex.h"
#include "dreamgym/data/types.h"
#include "dreamgym/worlds/alfworld/game.h"

namespace dreamgym::alfworld {

/// Keys of Task::settings that this world reads.
namespace settings {
inline constexpr const char* kGame = "game";            ///< path of a game.tw-pddl
inline constexpr const char* kGenerated = "generated";  ///< id of a generated game
inline constexpr const char* kDialect = "dialect";  ///< "0.4", "0.3", "2020"; "" = the file's own
inline constexpr const char* kText = "text";        ///< "full" (default) or "compact"
inline constexpr const char* kType = "type";        ///< ALFRED's name of the task type
}  // namespace settings

/// Thread safety: all members may be called from any thread; games are made outside the lock.
class GameLibrary {
 public:
  /// @param capacity  most games kept; the least recently used one goes first; at least 1.
  explicit GameLibrary(std::size_t capacity = 1024) : capacity_(capacity) {}

  /// The game that the task's settings name.
  /// @throws Error kNotFound if they name none or the file is not there; as load_game otherwise.
  std::shared_ptr<const AlfredGame> find(const Task& task);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<const AlfredGame> game;
    std::list<std::string>::iterator use;  ///< its place in uses_
  };

  std::shared_ptr<const AlfredGame> recall(const std::string& key);
  std::shared_ptr<const AlfredGame> keep(const std::string& key,
                                         std::shared_ptr<const AlfredGame> game);

  std::size_t capacity_;
  mutable Mutex mutex_;
  std::map<std::string, Entry> games_ DREAMGYM_GUARDED_BY(mutex_);
  std::list<std::string> uses_ DREAMGYM_GUARDED_BY(mutex_);  ///< keys, latest first
};

}  // namespace dreamgym::alfworld
