#include "dreamgym/worlds/alfworld/alfworld_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/action_mapper.h"
#include "dreamgym/worlds/alfworld/alfworld_environment.h"
#include "dreamgym/worlds/alfworld/expert.h"
#include "dreamgym/worlds/alfworld/explainer.h"
#include "dreamgym/worlds/alfworld/house_generator.h"
#include "dreamgym/worlds/alfworld/text_audit.h"
#include "dreamgym/worlds/alfworld/variation_audit.h"

namespace dreamgym {

namespace {

using namespace alfworld;  // NOLINT(google-build-using-namespace): this file is that world's door

constexpr std::size_t kGeneratedTrainTasks = 480;
constexpr std::size_t kGeneratedHeldOutTasks = 200;
/// Share of noisy episodes that begin with a near miss.
constexpr double kNearMiss = 0.5;

std::string extra(const WorldOptions& options, const std::string& key) {
  const auto found = options.extra.find(key);
  return found == options.extra.end() ? "" : found->second;
}

double number(const std::string& key, std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      !(value >= 0 && value < 1000)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("world \"alfworld\", option \"{}\": got \"{}\", expected a number",
                            key,
                            shorten(text, 60)));
  }
  return value;
}

HouseOptions house_options(const WorldOptions& options) {
  HouseOptions house;
  const auto whole = [&](const char* key, std::size_t& value) {
    if (const std::string text = extra(options, key); !text.empty()) {
      value = static_cast<std::size_t>(std::lround(number(key, text)));
    }
  };
  whole("objects", house.max_objects);
  whole("tasks_per_house", house.tasks_per_house);
  if (const std::string text = extra(options, "objects_per_receptacle"); !text.empty()) {
    house.objects_per_receptacle = number("objects_per_receptacle", text);
  }
  if (const std::string text = extra(options, "receptacles"); !text.empty()) {
    const std::vector<std::string> range = split(text, '-');
    house.min_receptacles =
        static_cast<std::size_t>(std::lround(number("receptacles", range.front())));
    house.max_receptacles =
        static_cast<std::size_t>(std::lround(number("receptacles", range.back())));
  }
  check_house_options(house);
  return house;
}

Task new_task(const WorldOptions& options, std::string_view sentence) {
  Task task;
  task.world = "alfworld";
  task.split = options.split;
  task.instruction = trim(sentence);
  if (task.instruction.ends_with('.')) {
    task.instruction.pop_back();
  }
  if (const auto goal = parse_task_sentence(sentence)) {
    task.settings[settings::kType] = task_type_name(goal->type);
  }
  for (const char* key : {settings::kText, settings::kDialect}) {
    if (std::string value = extra(options, key); !value.empty()) {
      task.settings[key] = std::move(value);
    }
  }
  return task;
}

/// With option "houses" the tasks go round these houses; without, one house after the other is used up.
std::size_t wanted_houses(const WorldOptions& options) {
  const std::string text = extra(options, "houses");
  return text.empty() ? 0 : static_cast<std::size_t>(std::max(1L, std::lround(number("houses", text))));
}

std::vector<Task> generated_tasks(const WorldOptions& options) {
  const std::size_t all = options.split == "train" ? kGeneratedTrainTasks : kGeneratedHeldOutTasks;
  const std::size_t count = options.count == 0 ? all : options.count;
  GeneratedId id{.options = house_options(options), .split = options.split, .seed = options.seed};
  std::vector<Task> tasks;
  const std::size_t per_house = tasks_in_house(id.options, options.split);
  const std::size_t houses = wanted_houses(options);
  if (houses > 0 && count > houses * per_house) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("world \"alfworld\": {} tasks of split \"{}\" wanted, {} houses with {} each have {}",
                            count,
                            options.split,
                            houses,
                            per_house,
                            houses * per_house),
                "raise houses or tasks_per_house, or ask for fewer tasks");
  }
  for (std::size_t i = 0; i < count; ++i) {
    id.house = houses > 0 ? i % houses : i / per_house;
    id.task = houses > 0 ? i / houses : i % per_house;
    Task task = new_task(options, generate_game(id).task);
    task.id = to_text(id);
    task.source = "generated";
    task.settings[settings::kGenerated] = task.id;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// The sentence, without reading the whole file as JSON where its usual form is found.
std::string sentence_of(const Path& path) {
  constexpr std::string_view kBefore = "Your task is to: ";
  const std::string text = read_file(path);
  const std::size_t begin = text.find(kBefore);
  const std::size_t end =
      begin == std::string::npos ? begin : text.find_first_of("\"\\", begin + kBefore.size());
  if (end == std::string::npos) {
    return parse_game(text, path.string())->task;  // or a precise error
  }
  return text.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

Path split_folder(const WorldOptions& options) {
  const Path games = Path(options.data_folder) / "games";
  std::vector<Path> candidates = {games / options.split};
  if (options.split == "train") {
    candidates.push_back(games / "valid_train");
  }
  for (const Path& folder : candidates) {
    if (std::filesystem::is_directory(folder)) {
      return folder;
    }
  }
  throw Error(ErrorKind::kNotFound,
              fmt::format("no ALFWorld games of split \"{}\": expected the folder {}",
                          options.split,
                          candidates.front().string()),
              "set the data folder to the one that holds games/, or leave it empty for generated "
              "houses");
}

std::vector<Task> real_tasks(const WorldOptions& options) {
  const Path folder = split_folder(options);
  std::vector<Path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "game.tw-pddl") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  if (options.count > 0) {
    Rng(options.seed).fork("alfworld-games").shuffle(paths);
    paths.resize(std::min(paths.size(), options.count));
  }
  std::vector<Task> tasks;
  for (const Path& path : paths) {
    Task task = new_task(options, sentence_of(path));
    task.id = std::filesystem::relative(path.parent_path(), folder).generic_string();
    task.source = path.string();
    task.settings[settings::kGame] = path.string();
    tasks.push_back(std::move(task));
  }
  return tasks;
}

class AlfworldWorld final : public World {
 public:
  [[nodiscard]] std::string name() const override { return "alfworld"; }
  [[nodiscard]] std::string description() const override {
    return "household tasks in text: generated houses or the ALFWorld games";
  }
  [[nodiscard]] std::vector<std::string> dialects() const override {
    return {"0.4", "0.3", "2020"};
  }
  [[nodiscard]] std::vector<WorldSplit> splits() const override {
    return {
        {.name = "train", .description = "houses to learn in"},
        {.name = "valid_seen",
         .description = "new tasks in the training houses",
         .held_out = true},
        {.name = "valid_unseen", .description = "rooms of no training house", .held_out = true}};
  }
  [[nodiscard]] Task task_of_game(const std::string& path) const override {
    if (!std::filesystem::is_regular_file(path)) {
      throw Error(ErrorKind::kNotFound,
                  fmt::format("no game file at {}", path),
                  "name a game.tw-pddl, such as games/valid_seen/<task>/<trial>/game.tw-pddl");
    }
    Task task = new_task({.split = ""}, sentence_of(path));
    task.id = Path(path).parent_path().filename().string();
    task.source = path;
    task.settings[settings::kGame] = path;
    return task;
  }
  [[nodiscard]] std::vector<Task> tasks(const WorldOptions& options) const override {
    check_options(*this,
                  options,
                  {"receptacles",
                   "objects",
                   "objects_per_receptacle",
                   "tasks_per_house",
                   "houses",
                   settings::kText,
                   settings::kDialect});
    return options.data_folder.empty() ? generated_tasks(options) : real_tasks(options);
  }
  [[nodiscard]] std::unique_ptr<Environment> make_environment() const override {
    return std::make_unique<AlfworldEnvironment>(library_);
  }
  [[nodiscard]] std::unique_ptr<ActionMapperFactory> make_action_mapper_factory() const override {
    return alfworld::make_action_mapper_factory();
  }
  [[nodiscard]] std::unique_ptr<Explainer> make_explainer() const override {
    return make_best_explainer(library_);
  }
  [[nodiscard]] std::unique_ptr<EpisodeAuditor> make_episode_auditor() const override {
    return make_text_auditor();
  }
  [[nodiscard]] std::unique_ptr<TaskAuditor> make_task_auditor() const override {
    return make_variation_auditor();
  }
  [[nodiscard]] std::unique_ptr<ScriptedPolicy> make_policy(PolicyKind kind,
                                                            double noise) const override {
    switch (kind) {
      case PolicyKind::kRandom:
        return make_random_policy(std::make_unique<AlfworldActionMapper>());
      case PolicyKind::kNoisy:
        return make_expert({.random_action = noise, .near_miss = kNearMiss});
      case PolicyKind::kExpert:
        break;
    }
    return make_expert();
  }

 private:
  std::shared_ptr<GameLibrary> library_ = std::make_shared<GameLibrary>();
};

}  // namespace

std::unique_ptr<World> make_alfworld_world() {
  return std::make_unique<AlfworldWorld>();
}

}  // namespace dreamgym
