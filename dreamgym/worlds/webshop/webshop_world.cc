#include "dreamgym/worlds/webshop/webshop_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/abstract_state.h"
#include "dreamgym/worlds/webshop/action_mapper.h"
#include "dreamgym/worlds/webshop/expert.h"
#include "dreamgym/worlds/webshop/explainer.h"
#include "dreamgym/worlds/webshop/goal_draw.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/task_reviser.h"
#include "dreamgym/worlds/webshop/text_audit.h"
#include "dreamgym/worlds/webshop/webshop_environment.h"

namespace dreamgym {

namespace {

using namespace webshop;  // NOLINT(google-build-using-namespace): this file is that world's door

constexpr std::size_t kGeneratedTrainTasks = 480;
constexpr std::size_t kGeneratedHeldOutTasks = 200;
constexpr std::size_t kStandardSplitGoals = 2000;  // from here on the benchmark's own split
constexpr std::size_t kTestGoals = 500;
constexpr std::size_t kDevEnd = 1500;
constexpr const char* kDraw = "draw";  // key of WorldOptions::extra

std::string extra(const WorldOptions& options, const std::string& key) {
  const auto found = options.extra.find(key);
  return found == options.extra.end() ? "" : found->second;
}

std::map<std::string, std::string> common_settings(const WorldOptions& options) {
  std::map<std::string, std::string> out;
  for (const char* key : {settings::kGoals,
                          settings::kMode,
                          settings::kPrices,
                          settings::kNouns,
                          settings::kPriceSeed,
                          settings::kNumPrevObs,
                          settings::kNumPrevActions}) {
    if (std::string value = extra(options, key); !value.empty()) {
      out[key] = std::move(value);
    }
  }
  if (!options.data_folder.empty()) {
    out[settings::kData] = options.data_folder;
    if (std::string folder = extra(options, settings::kCache); !folder.empty()) {
      out[settings::kCache] = std::move(folder);
    }
    return out;
  }
  std::string id = to_text(ShopOptions{});
  for (const auto& [key, field] : {std::pair{"products", "products"},
                                   std::pair{"instructions", "instructions"},
                                   std::pair{"shop_seed", "seed"}}) {
    if (const std::string value = extra(options, key); !value.empty()) {
      id += fmt::format(",{}={}", field, value);
    }
  }
  out[settings::kGenerated] = to_text(parse_shop_id(id));
  return out;
}

Task make_task(const Shop& shop,
               std::size_t session,
               const std::map<std::string, std::string>& common) {
  const Goal goal = shop.goals().goal(session);
  Task task{.instruction = goal.instruction, .world = "webshop", .settings = common};
  task.settings[settings::kSession] = fmt::format("{}", session);
  task.settings[task_settings::kType] = kind_of(goal);
  const std::string kind = setting(task, settings::kGoals);
  const std::string generated = setting(task, settings::kGenerated);
  task.source = generated.empty() ? setting(task, settings::kData) : "generated";
  task.id = fmt::format(
      "{}{}-{}", generated.empty() ? "" : generated + "/", kind.empty() ? "human" : kind, session);
  return task;
}

/// By the product itself, so that none is in two splits of any generated shops.
std::string_view generated_split(std::string_view asin) {
  const std::uint64_t draw = hash_text(asin) % 10;
  return draw < 2 ? "test" : (draw < 4 ? "dev" : "train");
}

std::string_view indexed_split(std::size_t session, std::size_t num_goals) {
  const bool standard = num_goals >= kStandardSplitGoals;
  const std::size_t test = standard ? kTestGoals : num_goals / 4;
  const std::size_t dev = standard ? kDevEnd : num_goals / 2;
  return session < test ? "test" : (session < dev ? "dev" : "train");
}

std::vector<std::size_t> split_sessions(const Shop& shop, const WorldOptions& options) {
  std::vector<std::size_t> sessions;
  const std::size_t count = shop.goals().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view split = options.data_folder.empty()
                                       ? generated_split(shop.goals().asin(i))
                                       : indexed_split(i, count);
    if (split == options.split) {
      sessions.push_back(i);
    }
  }
  return sessions;
}

/// Distinct goals of the split in the order of the original's draws.
std::vector<std::size_t> draw_by_weight(const Goals& goals,
                                        const std::vector<std::size_t>& split,
                                        std::size_t count) {
  if (2 * count > split.size()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("draw=weighted: expected a count of at most {} (half of the split, "
                            "since rare goals take long to come up), got {}",
                            split.size() / 2,
                            count));
  }
  std::vector<bool> wanted(goals.size(), false);
  for (const std::size_t session : split) {
    wanted[session] = true;
  }
  GoalDraw draw(goals);
  std::vector<std::size_t> sessions;
  while (sessions.size() < count) {
    const std::size_t session = draw.next();
    if (wanted[session]) {
      wanted[session] = false;
      sessions.push_back(session);
    }
  }
  return sessions;
}

class WebshopWorld final : public World {
 public:
  [[nodiscard]] std::string name() const override { return "webshop"; }
  [[nodiscard]] std::string description() const override {
    return "shopping for what a sentence asks: a generated shop or the WebShop catalogue";
  }
  [[nodiscard]] std::vector<WorldSplit> splits() const override {
    return {{.name = "train", .description = "goals to learn from"},
            {.name = "dev", .description = "goals for choosing among policies", .held_out = true},
            {.name = "test", .description = "goals for reporting", .held_out = true}};
  }
  [[nodiscard]] std::vector<Task> tasks(const WorldOptions& options) const override {
    webshop_check(options);
    const auto common = common_settings(options);
    const auto shop = find_shop(common);
    std::vector<std::size_t> sessions = split_sessions(*shop, options);
    std::size_t count = options.count;
    if (count == 0 && options.data_folder.empty()) {
      count = options.split == "train" ? kGeneratedTrainTasks : kGeneratedHeldOutTasks;
      count = std::min(count, sessions.size());
    }
    if (count > sessions.size()) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("count of split \"{}\": expected at most {} (all there are), got {}",
                              options.split,
                              sessions.size(),
                              count),
                  "a larger generated shop has more: --set products=N");
    }
    if (count > 0 && extra(options, kDraw) == "weighted") {
      sessions = draw_by_weight(shop->goals(), sessions, count);
    } else if (count > 0) {
      Rng(options.seed).fork("webshop goals").shuffle(sessions);
      sessions.resize(count);
    }
    std::vector<Task> tasks;
    for (const std::size_t session : sessions) {
      tasks.push_back(make_task(*shop, session, common));
      tasks.back().split = options.split;
    }
    return tasks;
  }
  /// The shop that the settings of a task name.
  [[nodiscard]] std::shared_ptr<const Shop> find_shop(
      const std::map<std::string, std::string>& wanted) const {
    return library_->find({.world = "webshop", .settings = wanted});
  }
  [[nodiscard]] std::unique_ptr<Environment> make_environment() const override {
    return std::make_unique<WebshopEnvironment>(library_);
  }
  [[nodiscard]] std::unique_ptr<ActionMapperFactory> make_action_mapper_factory() const override {
    return std::make_unique<SimpleMapperFactory<WebshopActionMapper>>();
  }
  [[nodiscard]] std::unique_ptr<StateMapper> make_state_mapper(
      const WorldOptions& options) const override {
    return extra(options, settings::kMode) == kAbstractMode ? std::make_unique<AbstractState>()
                                                            : nullptr;
  }
  [[nodiscard]] std::unique_ptr<Explainer> make_explainer() const override {
    return webshop::make_explainer();
  }
  [[nodiscard]] std::unique_ptr<EpisodeAuditor> make_episode_auditor() const override {
    return make_text_auditor();
  }
  [[nodiscard]] std::unique_ptr<TaskReviser> make_task_reviser() const override {
    return webshop::make_task_reviser(library_);
  }
  [[nodiscard]] std::unique_ptr<ScriptedPolicy> make_policy(PolicyKind kind,
                                                            double noise) const override {
    if (kind == PolicyKind::kRandom) {
      return make_random_policy(std::make_unique<WebshopActionMapper>());
    }
    return make_noisy_policy(make_expert(),
                             std::make_unique<WebshopActionMapper>(),
                             kind == PolicyKind::kNoisy ? noise : 0);
  }

 private:
  void webshop_check(const WorldOptions& options) const {
    check_options(*this,
                  options,
                  {settings::kCache,
                   settings::kGoals,
                   settings::kMode,
                   settings::kPrices,
                   settings::kNouns,
                   settings::kPriceSeed,
                   settings::kNumPrevObs,
                   settings::kNumPrevActions,
                   kDraw,
                   "products",
                   "instructions",
                   "shop_seed"});
    if (const std::string mode = extra(options, settings::kMode); !mode.empty() && mode != kAbstractMode) {
      observation_mode_from_name(mode);
    }
    const std::string draw = extra(options, kDraw);
    if (!draw.empty() && draw != "uniform" && draw != "weighted") {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("draw: expected uniform or weighted, got \"{}\"", shorten(draw, 60)));
    }
  }

  std::shared_ptr<ShopLibrary> library_ = std::make_shared<ShopLibrary>();
};

}  // namespace

std::unique_ptr<World> make_webshop_world() {
  return std::make_unique<WebshopWorld>();
}

namespace webshop {

Task session_task(const World& world,
                  std::size_t session,
                  const std::map<std::string, std::string>& settings) {
  const auto* webshop = dynamic_cast<const WebshopWorld*>(&world);
  check(webshop != nullptr, "sessions are of the world webshop");
  const auto shop = webshop->find_shop(settings);
  Task task = make_task(*shop, session, settings);
  task.split = indexed_split(session, shop->goals().size());
  return task;
}

std::map<std::string, std::string> start_info(const Environment& environment) {
  const auto* shop = dynamic_cast<const WebshopEnvironment*>(&environment);
  return shop == nullptr ? std::map<std::string, std::string>{} : shop->info();
}

}  // namespace webshop
}  // namespace dreamgym
