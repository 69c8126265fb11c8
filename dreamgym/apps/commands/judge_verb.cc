#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/endpoint_arguments.h"
#include "dreamgym/apps/run_judge.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct Arguments {
  JudgeRequest request;
  std::string run;
  std::string description;
  EndpointArguments judge;
  bool model_only = false;
  bool json = false;
};

void judge(Arguments arguments) {
  std::unique_ptr<EndpointChat> chat;
  if (!arguments.judge.config.urls.empty()) {
    require_model(arguments.judge, "judge");
    chat = make_chat(arguments.judge, false);
  }
  JudgeRequest& request = arguments.request;
  request.run = arguments.run;
  request.by_rules = !arguments.model_only;
  request.model = chat.get();
  request.domain = arguments.description.empty() ? "" : std::string(trim(read_file(arguments.description)));
  const auto watch = chat != nullptr ? watch_wire(*chat) : nullptr;
  TerminalProgress progress;
  const RunJudgement judgement = judge_run(request, progress);
  const std::string lines = judgement_lines(judgement);
  make_folder(request.run / "judge");
  write_file(request.run / "judge" / "judgements.jsonl", lines);
  if (chat != nullptr) {
    fmt::print(stderr, "{}\n", to_text(chat->counters()));
  }
  if (arguments.json) {
    fmt::print("{}", lines);
    return;
  }
  fmt::print("{}each step: {}\n", judgement_table(judgement), (request.run / "judge" / "judgements.jsonl").string());
}

}  // namespace

void add_judge_verb(CLI::App& group) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = group.add_subcommand(
      "judge",
      "Dreamed transitions by the paper's four criteria, 0 to 2 each: by rules against the engine as far as a dreamed\n"
      "episode is a real one, by a language model where nobody knows the truth. What the model said is kept in\n"
      "RUN/judge, so a second run goes on.\n"
      "Example: dreamgym eval judge --run runs/quickstart --episodes 100\n"
      "Example: dreamgym eval judge --run runs/mine --judge http://localhost:8000/v1 --judge-model qwen --description tool.md");
  verb->add_option("--run", arguments->run, "run folder")->required();
  verb->add_option("--episodes", arguments->request.episodes, "how many")->capture_default_str();
  verb->add_option("--of", arguments->request.episodes_file, "episodes to judge, canonical JSONL; default: the best policy plays the dream");
  verb->add_option("--threads", arguments->request.threads, "results do not depend on it")->capture_default_str();
  add_endpoint_options(*verb, "judge", arguments->judge);
  verb->add_option("--description", arguments->description, "text file: what the tool is and does, for the model");
  verb->add_flag("--model-only", arguments->model_only, "the model judges every step, whatever the engine knows");
  verb->add_flag("--json", arguments->json, "a JSON line a step instead of the table");
  verb->callback([arguments] { judge(*arguments); });
}

}  // namespace dreamgym
