#include <algorithm>
#include <bit>

#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/internal/strip.h"

namespace dreamgym::alfworld {
namespace {

/// "put", "in/on" or "move", "to".
struct PutWords {
  std::string_view before;
  std::string_view between;
};

PutWords put_words(const AlfredGame& game) {
  return game.dialect == Dialect::kV04 ? PutWords{"move ", " to "} : PutWords{"put ", " in/on "};
}

struct OneThing {
  std::string_view before;
  ActionKind kind;
  EntityKind entity;
};

constexpr OneThing kOneThing[] = {
    {"go to ", ActionKind::kGo, EntityKind::kReceptacle},
    {"open ", ActionKind::kOpen, EntityKind::kReceptacle},
    {"close ", ActionKind::kClose, EntityKind::kReceptacle},
    {"examine ", ActionKind::kExamineReceptacle, EntityKind::kReceptacle},
    {"examine ", ActionKind::kExamineObject, EntityKind::kObject},
    {"use ", ActionKind::kUse, EntityKind::kObject},
};

struct TwoThings {
  std::string_view before;
  std::string_view between;
  ActionKind kind;
  EntityKind second;
};

constexpr TwoThings kTwoThings[] = {
    {"take ", " from ", ActionKind::kTake, EntityKind::kReceptacle},
    {"clean ", " with ", ActionKind::kClean, EntityKind::kReceptacle},
    {"heat ", " with ", ActionKind::kHeat, EntityKind::kReceptacle},
    {"cool ", " with ", ActionKind::kCool, EntityKind::kReceptacle},
    {"slice ", " with ", ActionKind::kSlice, EntityKind::kObject},
};

std::optional<Index> look_up(const AlfredGame& game, std::string_view name, EntityKind kind) {
  const auto entity = game.find(name);
  return entity && entity->kind == kind ? std::optional(entity->index) : std::nullopt;
}

std::optional<Command> match(const AlfredGame& game, const TwoThings& form, std::string_view text) {
  if (!text.starts_with(form.before)) {
    return std::nullopt;
  }
  text.remove_prefix(form.before.size());
  const std::size_t cut = text.find(form.between);
  if (cut == std::string_view::npos) {
    return std::nullopt;
  }
  const auto first = look_up(game, text.substr(0, cut), EntityKind::kObject);
  const auto second = look_up(game, text.substr(cut + form.between.size()), form.second);
  if (!first || !second) {
    return std::nullopt;
  }
  return Command{form.kind, *first, *second};
}

/// Writes commands into a list whose strings are used again.
class CommandList {
 public:
  explicit CommandList(std::vector<std::string>& commands) : commands_(commands) {}

  void add(std::string_view text) { next().assign(text); }
  void add(std::string_view before,
           std::string_view first,
           std::string_view between,
           std::string_view second) {
    std::string& text = next();
    text.assign(before);
    text.append(first);
    text.append(between);
    text.append(second);
  }
  void finish() { commands_.resize(count_); }

 private:
  std::string& next() {
    if (count_ == commands_.size()) {
      commands_.emplace_back();
    }
    return commands_[count_++];
  }

  std::vector<std::string>& commands_;
  std::size_t count_ = 0;
};

/// Receptacles at the agent's location, in the order of commands. Few, mostly one.
class Here {
 public:
  Here(const AlfredGame& game, const GameState& state) {
    const std::uint64_t* here = game.here(state.location);
    for (std::size_t word = 0; word < game.layout.receptacle_words; ++word) {
      for (std::uint64_t bits = here[word]; bits != 0 && count_ < kMost; bits &= bits - 1) {
        found_[count_++] = static_cast<Index>(word * 64 + std::countr_zero(bits));
      }
    }
    std::sort(found_, found_ + count_, [&](Index a, Index b) {
      return game.receptacles[a].name < game.receptacles[b].name;
    });
  }
  [[nodiscard]] const Index* begin() const { return found_; }
  [[nodiscard]] const Index* end() const { return found_ + count_; }

 private:
  static constexpr std::size_t kMost = 256;  // no house has as many
  Index found_[kMost];
  std::size_t count_ = 0;
};

struct Lister {
  const AlfredGame& game;
  const GameState& state;
  const Here& here;
  CommandList& list;

  [[nodiscard]] const GameReceptacle& receptacle(Index i) const { return game.receptacles[i]; }

  void treatments(std::string_view before, std::uint8_t bit) const {
    if (state.held == kNone || (game.objects[state.held].abilities & bit) == 0) {
      return;
    }
    for (const Index i : here) {
      if ((receptacle(i).treatments & bit) != 0) {
        list.add(before, game.objects[state.held].name, " with ", receptacle(i).name);
      }
    }
  }

  void doors(bool close) const {
    for (const Index i : here) {
      if (receptacle(i).openable && test_bit(state.opened(), i) == close) {
        list.add(close ? receptacle(i).close : receptacle(i).open);
      }
    }
  }

  void examine() const {
    const GameObject* held = state.held == kNone ? nullptr : &game.objects[state.held];
    for (const Index i : here) {
      if (held != nullptr && held->name < receptacle(i).name) {
        list.add(held->examine);
        held = nullptr;
      }
      list.add(receptacle(i).examine);
    }
    if (held != nullptr) {
      list.add(held->examine);
    }
  }

  void go() const {
    for (const Index i : game.receptacles_by_name) {
      if (receptacle(i).location != state.location && receptacle(i).location != kNone) {
        list.add(receptacle(i).go);
      }
    }
  }

  void put() const {
    if (state.held == kNone) {
      return;
    }
    const GameObject& held = game.objects[state.held];
    const PutWords words = put_words(game);
    for (const Index i : here) {
      if (test_bit(held.fits_in.data(), i) && is_accessible(game, state, i)) {
        list.add(words.before, held.name, words.between, receptacle(i).name);
      }
    }
  }

  void slice() const {
    if (state.held == kNone || !game.objects[state.held].is_knife) {
      return;
    }
    for (const Index i : game.objects_by_name) {
      if ((game.objects[i].abilities & kSliceable) != 0 &&
          test_bit(state.at(game.layout, i), state.location)) {
        list.add("slice ", game.objects[i].name, " with ", game.objects[state.held].name);
      }
    }
  }

  void take() const {
    if (state.held != kNone || here.begin() == here.end()) {
      return;
    }
    for (const Index object : game.objects_by_name) {
      if ((game.objects[object].abilities & kPickupable) == 0) {
        continue;
      }
      const std::uint64_t* inside = state.inside(game.layout, object);
      for (const Index i : here) {
        if (test_bit(inside, i) && is_accessible(game, state, i)) {
          list.add("take ", game.objects[object].name, " from ", receptacle(i).name);
        }
      }
    }
  }

  void use() const {
    for (const Index object : game.objects_by_name) {
      if ((game.objects[object].abilities & kToggleable) != 0 &&
          is_possible(game, state, {ActionKind::kUse, object, kNone})) {
        list.add(game.objects[object].use);
      }
    }
  }
};

}  // namespace

std::optional<Command> parse_command(const AlfredGame& game, std::string_view text) {
  text = strip(text);
  if (text == "look") {
    return Command{ActionKind::kLook, kNone, kNone};
  }
  if (text == "inventory") {
    return Command{ActionKind::kInventory, kNone, kNone};
  }
  if (text == "help") {
    return Command{ActionKind::kHelp, kNone, kNone};
  }
  for (const OneThing& form : kOneThing) {
    if (text.starts_with(form.before)) {
      if (const auto thing = look_up(game, text.substr(form.before.size()), form.entity)) {
        return Command{form.kind, *thing, kNone};
      }
    }
  }
  for (const TwoThings& form : kTwoThings) {
    if (const auto command = match(game, form, text)) {
      return command;
    }
  }
  const PutWords put = put_words(game);
  return match(game, {put.before, put.between, ActionKind::kPut, EntityKind::kReceptacle}, text);
}

std::string command_text(const AlfredGame& game, const Command& command) {
  for (const OneThing& form : kOneThing) {
    if (form.kind == command.kind) {
      return std::string(form.before) + (form.entity == EntityKind::kObject
                                             ? game.objects[command.first].name
                                             : game.receptacles[command.first].name);
    }
  }
  const auto two = [&](std::string_view before, std::string_view between, EntityKind second) {
    return std::string(before) + game.objects[command.first].name + std::string(between) +
           (second == EntityKind::kObject ? game.objects[command.second].name
                                          : game.receptacles[command.second].name);
  };
  for (const TwoThings& form : kTwoThings) {
    if (form.kind == command.kind) {
      return two(form.before, form.between, form.second);
    }
  }
  if (command.kind == ActionKind::kPut) {
    return two(put_words(game).before, put_words(game).between, EntityKind::kReceptacle);
  }
  return command.kind == ActionKind::kLook        ? "look"
         : command.kind == ActionKind::kInventory ? "inventory"
                                                  : "help";
}

void list_commands(const AlfredGame& game,
                   const GameState& state,
                   std::vector<std::string>& commands) {
  CommandList list(commands);
  const Here here(game, state);
  const Lister lister{game, state, here, list};
  lister.treatments("clean ", kCleanable);
  lister.doors(true);
  lister.treatments("cool ", kCoolable);
  lister.examine();
  lister.go();
  lister.treatments("heat ", kHeatable);
  if (game.has_help) {
    list.add("help");
  }
  list.add("inventory");
  list.add("look");
  if (game.dialect == Dialect::kV04) {
    lister.put();  // "move ..." comes before "open ..."
  }
  lister.doors(false);
  if (game.dialect != Dialect::kV04) {
    lister.put();
  }
  lister.slice();
  lister.take();
  lister.use();
  list.finish();
}

}  // namespace dreamgym::alfworld
