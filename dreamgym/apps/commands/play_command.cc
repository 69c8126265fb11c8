#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/run_dream.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/worlds/catalog.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/shop_library.h"
#include "dreamgym/worlds/webshop/webshop_world.h"

namespace dreamgym {
namespace {

struct Options {
  std::string world;
  std::string game;
  std::string task;
  std::string data;
  std::string split;
  std::string script;
  std::map<std::string, std::string> shop;  // settings of the world webshop
  std::optional<std::size_t> session;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  bool json = false;
};

// What is played, and how candidates are found where the world shows none.
struct Stage {
  std::unique_ptr<Environment> environment;
  std::unique_ptr<ActionMapper> mapper;
  Task task;
};

Task pick_task(const std::vector<Task>& tasks, const Options& options) {
  if (tasks.empty()) {
    throw Error(ErrorKind::kNotFound, fmt::format("{} has no tasks", options.world));
  }
  if (options.task.empty()) {
    return tasks[options.seed % tasks.size()];
  }
  std::vector<std::string> ids;
  for (const Task& task : tasks) {
    if (task.id == options.task) {
      return task;
    }
    ids.push_back(task.id);
  }
  throw Error(ErrorKind::kNotFound,
              fmt::format("no task '{}'", options.task),
              fmt::format("the nearest is '{}'", nearest(options.task, ids)));
}

// The goal of a session number, whichever split it is in.
Task pick_session(const World& world, const Options& options) {
  if (options.world != "webshop") {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("--session is of the world webshop, not of {}", options.world));
  }
  std::map<std::string, std::string> settings = options.shop;
  if (options.data.empty()) {
    settings[webshop::settings::kGenerated] = webshop::to_text(webshop::ShopOptions{});
  } else {
    settings[webshop::settings::kData] = options.data;
  }
  return webshop::session_task(world, *options.session, settings);
}

Stage set_stage(const Options& options) {
  Stage stage;
  std::string_view name = options.world;
  if (consume_prefix(name, "dream:")) {
    auto dream = std::make_unique<RunDream>(std::string(name), options.threads);
    stage.task = pick_task(dream->tasks(), options);
    if (dream->mappers() != nullptr) {
      stage.mapper = dream->mappers()->create();
    }
    stage.environment = std::make_unique<BatchedEnvironment>(std::move(dream));
    return stage;
  }
  const auto world = make_world(options.world);
  stage.environment = world->make_environment();
  if (!options.game.empty()) {
    stage.task = world->task_of_game(options.game);
    return stage;
  }
  if (options.session) {
    stage.task = pick_session(*world, options);
    return stage;
  }
  WorldOptions wanted;
  wanted.data_folder = options.data;
  wanted.extra = options.shop;
  wanted.split = options.split.empty() ? world->splits().front().name : options.split;
  stage.task = pick_task(world->tasks(wanted), options);
  return stage;
}

// One action a line; in .jsonl files each line is a JSON string.
std::vector<Action> read_script(const std::string& path) {
  const bool jsonl = path.ends_with(".jsonl");
  std::vector<Action> actions;
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    if (!jsonl) {
      actions.emplace_back(line);
      return true;
    }
    if (trim(line).empty()) {
      return true;
    }
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_string()) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}:{}: expected a JSON string, got {}", path, number, shorten(line, 60)),
                  "write each action in double quotes, one a line");
    }
    actions.push_back(json.get<std::string>());
    return true;
  });
  return actions;
}

// "true", numbers, lists and objects become what they say; the rest stays text, as a name does
// that happens to be all digits.
nlohmann::json info_json(const std::map<std::string, std::string>& info) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [key, text] : info) {
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    const bool is_text = parsed.is_discarded() || parsed.is_null() || parsed.is_string();
    out[key] = is_text || key == "asin" ? nlohmann::json(text) : parsed;
  }
  return out;
}

void print_json(const nlohmann::ordered_json& line) {
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

class Player {
 public:
  Player(Stage stage, const Options& options) : stage_(std::move(stage)), options_(options) {}

  void play() {
    show_start();
    if (!options_.script.empty()) {
      for (const Action& action : read_script(options_.script)) {
        if (!take(action)) {
          return;
        }
      }
      return;
    }
    play_by_hand();
  }

 private:
  void offer(Observation& observation) {
    if (observation.admissible.empty() && stage_.mapper) {
      observation.admissible = stage_.mapper->candidates();
    }
    admissible_ = observation.admissible;
  }

  void show_start() {
    Observation first = stage_.environment->reset(
        stage_.task, options_.seed != 0 ? options_.seed : stage_.task.seed);
    if (stage_.mapper) {
      stage_.mapper->reset(stage_.task.instruction, first.text);
    }
    offer(first);
    if (options_.json) {
      nlohmann::ordered_json line = {{"step", 0},
                                     {"task",
                                      {{"id", stage_.task.id},
                                       {"instruction", stage_.task.instruction},
                                       {"world", stage_.task.world},
                                       {"split", stage_.task.split},
                                       {"settings", stage_.task.settings}}},
                                     {"observation", first.text},
                                     {"admissible", first.admissible}};
      if (const auto info = webshop::start_info(*stage_.environment); !info.empty()) {
        line["info"] = info_json(info);
      }
      print_json(line);
    } else {
      fmt::print("Task: {}\n\n{}\n", stage_.task.instruction, first.text);
    }
  }

  // False when the episode is over.
  bool take(const Action& action) {
    StepResult result = stage_.environment->step(action);
    ++step_;
    if (stage_.mapper) {
      stage_.mapper->observe(action, result.observation.text);
    }
    offer(result.observation);
    if (options_.json) {
      nlohmann::json info = info_json(result.info);
      if (!result.reasoning_trace.empty()) {
        info["reasoning_trace"] = result.reasoning_trace;
        info["demonstrations"] = result.demonstrations;
      }
      print_json({{"step", step_},
                  {"action", action},
                  {"observation", result.observation.text},
                  {"admissible", result.observation.admissible},
                  {"reward", result.reward},
                  {"terminated", result.terminated},
                  {"truncated", result.truncated},
                  {"info", info}});
    } else {
      if (!options_.script.empty()) {
        fmt::print("\n> {}\n", action);
      }
      if (!result.reasoning_trace.empty()) {
        fmt::print("  ({})\n", result.reasoning_trace);
      }
      fmt::print("{}\n", result.observation.text);
      if (result.terminated || result.truncated) {
        fmt::print("\nThe episode is over after {} steps, reward {}.\n", step_, result.reward);
      }
    }
    std::fflush(stdout);
    return !result.terminated && !result.truncated;
  }

  void play_by_hand() {
    fmt::print("\nType an action or its number; ? lists what is possible, q leaves.\n");
    std::string line;
    while (fmt::print("\n> "), std::fflush(stdout), std::getline(std::cin, line)) {
      const std::string typed(trim(line));
      if (typed == "q") {
        return;
      }
      if (typed == "?") {
        for (std::size_t i = 0; i < admissible_.size(); ++i) {
          fmt::print("{:>4}  {}\n", i + 1, admissible_[i]);
        }
        continue;
      }
      const std::size_t index = parse_unsigned(typed).value_or(0);
      if (!take(index >= 1 && index <= admissible_.size() ? admissible_[index - 1] : line)) {
        return;
      }
    }
  }

  Stage stage_;
  const Options& options_;
  std::vector<std::string> admissible_;
  std::size_t step_ = 0;
};

}  // namespace

void add_play_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "play",
      "Play a world or a run's dream in the terminal, or let a script play it.\n"
      "Examples: dreamgym play alfworld --seed 3\n"
      "          dreamgym play dream:runs/quickstart\n"
      "          dreamgym play webshop --data DIR --goals synthetic --session 7 --mode text_rich\n"
      "          dreamgym play alfworld --game PATH/game.tw-pddl --script actions.jsonl --json");
  verb->add_option("world", options->world, "a world of `dreamgym worlds`, or dream:RUN")->required();
  verb->add_option("--game", options->game, "one of the world's own files");
  verb->add_option("--task", options->task, "id of a task");
  verb->add_option("--data", options->data, "folder of the world's benchmark files");
  verb->add_option("--split", options->split, "split the task is taken from");
  verb->add_option("--session", options->session, "webshop: number of the goal, in any split");
  for (const auto& [name, help] :
       {std::pair{webshop::settings::kGoals, "webshop: human or synthetic"},
        std::pair{webshop::settings::kMode, "webshop: text, text_rich, html, url or abstract"},
        std::pair{webshop::settings::kPrices, "webshop: recorded price table"},
        std::pair{webshop::settings::kNouns, "webshop: recorded noun lists"},
        std::pair{webshop::settings::kCache, "webshop: folder for the parsed catalogue"}}) {
    verb->add_option_function<std::string>(
        fmt::format("--{}", name),
        [options, key = std::string(name)](const std::string& value) {
          options->shop[key] = value;
        },
        help);
  }
  verb->add_option("--seed", options->seed, "chooses the task where none is named")->capture_default_str();
  verb->add_option("--script", options->script, "actions, one a line (.jsonl: one JSON string a line)");
  verb->add_flag("--json", options->json, "one JSON object a line");
  verb->callback([options] { Player(set_stage(*options), *options).play(); });
}

}  // namespace dreamgym
