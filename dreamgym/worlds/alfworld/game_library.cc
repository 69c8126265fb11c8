#include "dreamgym/worlds/alfworld/game_library.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/house_generator.h"

namespace dreamgym::alfworld {
namespace {

std::string setting(const Task& task, const char* key) {
  const auto found = task.settings.find(key);
  return found == task.settings.end() ? "" : found->second;
}

/// Logs call the wording "v0.3 (put in/on, loc prefix stripped)".
std::optional<Dialect> wanted_dialect(const Task& task) {
  const std::string name = setting(task, settings::kDialect);
  if (name.empty()) {
    return std::nullopt;
  }
  if (name.starts_with("v0.3")) {
    return Dialect::kV03;
  }
  return dialect_from_name(name);
}

std::shared_ptr<const AlfredGame> make_game(const Task& task) {
  const std::optional<Dialect> dialect = wanted_dialect(task);
  const std::string path = setting(task, settings::kGame);
  if (!path.empty()) {
    return load_game(path, {.dialect = dialect});
  }
  const std::string id = setting(task, settings::kGenerated);
  return build_game(generate_game(parse_generated_id(id)), id, dialect.value_or(Dialect::kV04));
}

}  // namespace

std::shared_ptr<const AlfredGame> GameLibrary::find(const Task& task) {
  const std::string path = setting(task, settings::kGame);
  const std::string id = setting(task, settings::kGenerated);
  if (path.empty() && id.empty()) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("task \"{}\" of world \"{}\": its settings name no game, expected "
                            "\"game\" (path of a game.tw-pddl) or \"generated\"",
                            task.id,
                            task.world),
                "take tasks from the world's own list, or set settings.game");
  }
  const std::string key =
      fmt::format("{}\n{}\n{}", path, path.empty() ? id : "", setting(task, settings::kDialect));
  if (auto known = recall(key)) {
    return known;
  }
  return keep(key, make_game(task));
}

std::size_t GameLibrary::size() const {
  const MutexLock lock(mutex_);
  return games_.size();
}

std::shared_ptr<const AlfredGame> GameLibrary::recall(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = games_.find(key);
  if (found == games_.end()) {
    return nullptr;
  }
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.game;
}

std::shared_ptr<const AlfredGame> GameLibrary::keep(const std::string& key,
                                                    std::shared_ptr<const AlfredGame> game) {
  const MutexLock lock(mutex_);
  if (const auto found = games_.find(key); found != games_.end()) {
    return found->second.game;  // another thread was faster
  }
  uses_.push_front(key);
  games_[key] = {game, uses_.begin()};
  while (games_.size() > capacity_ && uses_.size() > 1) {
    games_.erase(uses_.back());
    uses_.pop_back();
  }
  return game;
}

}  // namespace dreamgym::alfworld
