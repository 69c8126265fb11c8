#include "dreamgym/worlds/alfworld/game.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/internal/builtin_texts.h"
#include "dreamgym/worlds/alfworld/internal/compile_game.h"
#include "dreamgym/worlds/alfworld/internal/problem.h"
#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

namespace dreamgym::alfworld {
namespace {

using Json = nlohmann::json;

struct GameFile {
  std::string domain;
  std::string grammar;
  std::string problem;
};

std::string take_text(Json& json, const char* key, const std::string& source) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {} \"{}\", expected a text under this key",
                            source,
                            found == json.end() ? "no" : "no text in",
                            key),
                "a game.tw-pddl has pddl_domain, grammar and pddl_problem; folders that hold only "
                "traj_data.json need alfworld-download first");
  }
  return std::move(found->get_ref<std::string&>());
}

GameFile parse_file(std::string_view text, const std::string& source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const bool cut = trim(text).starts_with('{') && !trim(text).ends_with('}');
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {} at byte {} of {}, expected a game.tw-pddl (JSON object)",
                            source,
                            text.empty() ? "the file is empty"
                            : cut        ? "the file is truncated: JSON ends"
                                         : "not JSON",
                            error.byte,
                            text.size()),
                cut || text.empty() ? "fetch the file again" : "give the path of a game.tw-pddl");
  }
  if (!json.is_object()) {
    throw Error(
        ErrorKind::kParse,
        fmt::format("{}: got JSON of type {}, expected an object", source, json.type_name()),
        "give the path of a game.tw-pddl");
  }
  return {take_text(json, "pddl_domain", source),
          take_text(json, "grammar", source),
          take_text(json, "pddl_problem", source)};
}

}  // namespace

AlfredGame::AlfredGame() = default;
AlfredGame::~AlfredGame() = default;

std::optional<Entity> AlfredGame::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

std::string_view dialect_name(Dialect dialect) {
  return dialect == Dialect::kV04 ? "0.4" : dialect == Dialect::kV03 ? "0.3" : "2020";
}

Dialect dialect_from_name(std::string_view name) {
  for (const Dialect dialect : {Dialect::kV04, Dialect::kV03, Dialect::k2020}) {
    if (dialect_name(dialect) == name) {
      return dialect;
    }
  }
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("unknown ALFWorld dialect \"{}\", expected 0.4, 0.3 or 2020", name));
}

std::shared_ptr<const AlfredGame> load_game(const Path& path, const LoadOptions& options) {
  return parse_game(read_file(path), path.string(), options);
}

std::shared_ptr<const AlfredGame> parse_game(std::string_view json,
                                             const std::string& source,
                                             const LoadOptions& options) {
  const GameFile file = parse_file(json, source);
  const GameDescription description = parse_problem(file.problem, source);
  const DomainRules rules = parse_domain(file.domain, source);
  auto game = compile_game(
      description, rules, parse_text_grammar(file.grammar, rules.actions, source), source);
  if (!options.dialect || *options.dialect == game->dialect) {
    return game;
  }
  // The same rules and things in other words.
  return compile_game(
      description, rules, builtin_text_grammar(*options.dialect, game->task), source);
}

GameDescription parse_game_description(std::string_view json, const std::string& source) {
  const GameFile file = parse_file(json, source);
  GameDescription description = parse_problem(file.problem, source);
  description.task =
      parse_text_grammar(file.grammar, parse_domain(file.domain, source).actions, source).task;
  return description;
}

std::shared_ptr<const AlfredGame> build_game(const GameDescription& description,
                                             const std::string& source,
                                             Dialect dialect) {
  return compile_game(
      description, builtin_rules(), builtin_text_grammar(dialect, description.task), source);
}

}  // namespace dreamgym::alfworld
