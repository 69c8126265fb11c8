#include "dreamgym/worlds/alfworld/variation_audit.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/worlds/alfworld/game.h"
#include "dreamgym/worlds/alfworld/game_library.h"
#include "dreamgym/worlds/alfworld/house_generator.h"
#include "dreamgym/worlds/alfworld/walkthrough.h"

namespace dreamgym::alfworld {
namespace {

std::string setting(const Task& task, const char* key) {
  const auto found = task.settings.find(key);
  return found == task.settings.end() ? "" : found->second;
}

// The house of a task of this world, with the goal it has there.
GameDescription house_of(const Task& task) {
  const std::string file = setting(task, settings::kGame);
  if (!file.empty()) {
    return parse_game_description(read_file(file), file);
  }
  return generate_game(parse_generated_id(setting(task, settings::kGenerated)));
}

class VariationAuditor final : public TaskAuditor {
 public:
  [[nodiscard]] Expected<void, std::string> audit(const Task& variation, const Task& original) const override {
    const auto goal = parse_task_sentence(variation.instruction);
    if (!goal) {
      return Unexpected<std::string>("its sentence is none of this world's");
    }
    GameDescription house = house_of(original);
    house.goal = *goal;
    house.task = task_sentence(*goal, 0);
    const auto game = build_game(house, variation.id, Dialect::kV04);
    if (game->goal_test.objects.empty()) {
      return Unexpected<std::string>(fmt::format("the house has no such {}", goal->object));
    }
    if (!find_walkthrough(*game)) {
      return Unexpected<std::string>("no plan reaches its goal in this house");
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<TaskAuditor> make_variation_auditor() { return std::make_unique<VariationAuditor>(); }

}  // namespace dreamgym::alfworld
