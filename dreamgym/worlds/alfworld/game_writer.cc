#include "dreamgym/worlds/alfworld/game_writer.h"

#include <nlohmann/json.hpp>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/household_catalog.h"
#include "dreamgym/worlds/alfworld/internal/builtin_texts.h"
#include "dreamgym/worlds/alfworld/internal/problem.h"
#include "dreamgym/worlds/alfworld/walkthrough.h"

namespace dreamgym::alfworld {
namespace {

using Json = nlohmann::ordered_json;

std::string object_pddl(const std::string& kind) {
  const ObjectKind* known = find_object_kind(kind);
  return known == nullptr ? kind : known->pddl;
}

std::string receptacle_pddl(const std::string& kind) {
  const ReceptacleKind* known = find_receptacle_kind(kind);
  return known == nullptr ? kind : known->pddl;
}

}  // namespace

std::string game_file_text(const GameDescription& description, Dialect dialect) {
  const auto game = build_game(description, description.name, dialect);
  const auto walkthrough = find_walkthrough(*game);
  Json json;
  json["pddl_domain"] = builtin_domain(dialect);
  json["grammar"] = builtin_grammar(dialect, description.task);
  json["pddl_problem"] = problem_text(description);
  json["solvable"] = walkthrough.has_value();
  json["walkthrough"] = walkthrough.value_or(std::vector<std::string>{});
  return json.dump();
}

std::string trajectory_data_text(const GameDescription& description) {
  const Goal& goal = description.goal;
  Json json;
  json["task_id"] = description.name;
  json["task_type"] = task_type_name(goal.type);
  json["pddl_params"] = {{"mrecep_target", ""},
                         {"object_sliced", false},
                         {"object_target", object_pddl(goal.object)},
                         {"parent_target", receptacle_pddl(goal.receptacle)},
                         {"toggle_target", object_pddl(goal.lamp)}};
  json["turk_annotations"]["anns"] =
      Json::array({{{"task_desc", description.task}, {"high_descs", Json::array()}}});
  return json.dump(1) + "\n";
}

Path write_game(const GameDescription& description, const Path& folder, Dialect dialect) {
  make_folder(folder);
  write_file(folder / "traj_data.json", trajectory_data_text(description));
  const Path path = folder / "game.tw-pddl";
  write_file(path, game_file_text(description, dialect));
  return path;
}

}  // namespace dreamgym::alfworld
