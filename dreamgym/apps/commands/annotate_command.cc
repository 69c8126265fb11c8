#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/endpoint_arguments.h"
#include "dreamgym/apps/terminal_progress.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/experience/log_explainer.h"
#include "dreamgym/experience/teacher.h"
#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

constexpr std::size_t kShownRejections = 10;

struct Arguments {
  std::string file;
  std::string world;
  std::string out;
  EndpointArguments teacher;
  TeacherOptions options;
  std::string description;
  std::string journal;
  std::string traces = "fields+plan";
  std::string rejected = "leave-out";
  double price_in = 0;   // per million tokens
  double price_out = 0;
};

std::unique_ptr<Explainer> explainer_of(const std::string& world) {
  const auto worlds = world_names();
  const bool known = std::find(worlds.begin(), worlds.end(), world) != worlds.end();
  return known ? make_world(world)->make_explainer() : std::make_unique<LogExplainer>();
}

// Each trajectory by its own world's explainer.
class ByWorld final : public Explainer {
 public:
  explicit ByWorld(std::string world) : world_(std::move(world)) {}
  void explain(Trajectory& trajectory) const override {
    const std::string& name = world_.empty() ? trajectory.task.world : world_;
    auto& explainer = explainers_[name];
    if (!explainer) {
      explainer = explainer_of(name);
    }
    explainer->explain(trajectory);
  }

 private:
  std::string world_;
  mutable std::map<std::string, std::unique_ptr<Explainer>> explainers_;  // one thread
};

void annotate_by_rules(const Arguments& arguments, std::vector<Trajectory> stories) {
  const ByWorld explainer(arguments.world);
  std::size_t steps = 0;
  for (Trajectory& story : stories) {
    explainer.explain(story);
    steps += story.steps.size();
  }
  write_trajectories(arguments.out, stories);
  fmt::print("{}: {} episodes, {} reasoning traces\n", arguments.out, stories.size(), steps);
}

// One description can't be of two tools.
void check_one_world(const std::vector<Trajectory>& stories) {
  std::set<std::string> worlds;
  for (const Trajectory& story : stories) {
    worlds.insert(story.task.world);
  }
  if (worlds.size() > 1) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the episodes are of {} worlds ({}), and --description describes one",
                            worlds.size(),
                            join({worlds.begin(), worlds.end()}, ", ")),
                "annotate each world's episodes with its own description");
  }
}

void print_report(const Arguments& arguments, const AnnotationReport& report, const EndpointCounters& wire) {
  const JsonReplyCounts& replies = report.replies;
  fmt::print(stderr,
             "asked {}: {} accepted, {} repaired, {} rejected, {} unanswered; {} from the journal, {} not asked (gaps)\n{}\n",
             replies.asked,
             replies.accepted,
             replies.repaired,
             replies.rejected,
             replies.unavailable,
             report.cached,
             report.with_gaps,
             to_text(wire));
  fmt::print(stderr, "{} prompt tokens, {} reply tokens", replies.prompt_tokens, replies.completion_tokens);
  if (arguments.price_in > 0 || arguments.price_out > 0) {
    constexpr double kMillion = 1e6;
    fmt::print(stderr,
               ", cost {:.4f}",
               (static_cast<double>(replies.prompt_tokens) * arguments.price_in +
                static_cast<double>(replies.completion_tokens) * arguments.price_out) /
                   kMillion);
  }
  fmt::print(stderr, "\n");
  for (std::size_t i = 0; i < std::min(report.rejected.size(), kShownRejections); ++i) {
    fmt::print(stderr, "rejected {}\n", report.rejected[i]);
  }
  if (report.rejected.size() > kShownRejections) {
    fmt::print(stderr, "... and {} more (all of them in the journal)\n", report.rejected.size() - kShownRejections);
  }
}

void annotate_by_teacher(Arguments arguments, std::vector<Trajectory> stories) {
  if (!arguments.description.empty()) {
    check_one_world(stories);
    arguments.options.domain = trim(read_file(arguments.description));
  }
  arguments.options.form = arguments.traces == "plan" ? TraceForm::kPlan : TraceForm::kFieldsAndPlan;
  const auto teacher = make_chat(arguments.teacher, false);
  const auto watch = watch_wire(*teacher);
  const ByWorld explainer(arguments.world);
  TerminalProgress progress;
  std::vector<bool> annotated;
  const Path journal = arguments.journal.empty() ? arguments.out + ".teacher.jsonl" : arguments.journal;
  const AnnotationReport report = annotate_with_teacher(
      *teacher, stories, explainer, arguments.options, journal, progress, &annotated);
  print_report(arguments, report, teacher->counters());
  std::vector<Trajectory> kept;
  for (std::size_t i = 0; i < stories.size(); ++i) {
    if (!annotated[i] && arguments.rejected == "rules") {
      explainer.explain(stories[i]);
    }
    if (annotated[i] || arguments.rejected == "rules") {
      kept.push_back(std::move(stories[i]));
    }
  }
  if (report.annotated == 0) {
    throw Error(ErrorKind::kIo, "the teacher annotated no episode at all; nothing was written", "the reasons stand above");
  }
  write_trajectories(arguments.out, kept);
  fmt::print("{}: {} episodes, {} of them annotated by {}\n", arguments.out, kept.size(), report.annotated, teacher->version());
}

void check_choice(const char* option, const std::string& given, const std::string& one, const std::string& other) {
  if (given != one && given != other) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: got '{}', expected {} or {}", option, given, one, other));
  }
}

void annotate(const Arguments& arguments) {
  check_choice("--traces", arguments.traces, "fields+plan", "plan");
  check_choice("--rejected", arguments.rejected, "leave-out", "rules");
  const bool by_teacher = !arguments.teacher.config.urls.empty();
  if (by_teacher) {
    require_model(arguments.teacher, "teacher");
  } else if (arguments.traces == "plan") {
    throw Error(ErrorKind::kInvalidArgument,
                "--traces plan: plans come from a teacher, and there is none",
                "name one with --teacher URL --teacher-model NAME");
  }
  std::vector<Trajectory> stories = read_trajectories(arguments.file);
  if (by_teacher) {
    annotate_by_teacher(arguments, std::move(stories));
  } else {
    annotate_by_rules(arguments, std::move(stories));
  }
}

}  // namespace

void add_annotate_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "annotate",
      "Give every step a reasoning trace: exact where the world is known, from the text elsewhere, and with --teacher\n"
      "with a language model's explanation. What the teacher said is kept in a journal, so a second run goes on.\n"
      "Example: dreamgym annotate logs.jsonl --out explained.jsonl\n"
      "Example: dreamgym annotate logs.jsonl --teacher http://localhost:8000/v1 --teacher-model qwen --description tool.md --out explained.jsonl");
  verb->add_option("file", arguments->file, "canonical JSONL")->required();
  verb->add_option("--world", arguments->world, "instead of what the episodes say");
  verb->add_option("--out", arguments->out, "canonical JSONL")->required();
  add_endpoint_options(*verb, "teacher", arguments->teacher);
  verb->add_option("--description", arguments->description, "text file: what the tool is and does, for the teacher");
  verb->add_option("--journal", arguments->journal, "what the teacher said, kept; default: OUT.teacher.jsonl");
  verb->add_option("--traces", arguments->traces, "fields+plan: the rules' fields, then why: <plan>; plan: the plan alone")->capture_default_str();
  verb->add_option("--rejected", arguments->rejected, "episodes the teacher failed on: leave-out, or rules (traces without a plan)")->capture_default_str();
  verb->add_option("--max-plan-bytes", arguments->options.max_plan_bytes, "a longer plan is refused")->capture_default_str();
  verb->add_option("--temperature", arguments->options.temperature, "of the teacher")->capture_default_str();
  verb->add_option("--price-in", arguments->price_in, "of a million prompt tokens, for the cost");
  verb->add_option("--price-out", arguments->price_out, "of a million reply tokens");
  verb->callback([arguments] { annotate(*arguments); });
}

}  // namespace dreamgym
