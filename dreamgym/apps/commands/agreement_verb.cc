#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/run_agreement.h"
#include "dreamgym/apps/terminal_progress.h"

namespace dreamgym {
namespace {

struct Arguments {
  AgreementRequest request;
  std::string run;
  std::string out;
  bool json = false;
};

void agreement(Arguments& arguments) {
  arguments.request.run = arguments.run;
  arguments.request.episodes_file = arguments.out;
  TerminalProgress progress;
  const RunAgreement measured = measure_agreement(arguments.request, progress);
  const std::string line = agreement_json(measured);
  write_file(arguments.request.run / "agreement.json", line + "\n");
  if (arguments.json) {
    fmt::print("{}\n", line);
    return;
  }
  fmt::print("{}kept in {}\n", agreement_table(measured), (arguments.request.run / "agreement.json").string());
}

}  // namespace

void add_agreement_verb(CLI::App& group) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = group.add_subcommand(
      "agreement",
      "Each policy of a run on the same tasks in its dream and in reality: how far apart, and whether the dream puts them\n"
      "in the same order (correlation over the policies).\n"
      "Example: dreamgym eval agreement --run runs/table1/seed-1 --episodes 200\n"
      "Example: dreamgym eval agreement --run runs/quickstart --policies start,dream,s2r,traditional");
  verb->add_option("--run", arguments->run, "run folder")->required();
  verb->add_option("--policies", arguments->request.policies, "models of the run; default: all")->delimiter(',');
  verb->add_option("--episodes", arguments->request.episodes, "training tasks each plays, once in either")->capture_default_str();
  verb->add_option("--out", arguments->out, "file for the episodes, dreamed and real, to be looked at");
  verb->add_option("--threads", arguments->request.threads, "results do not depend on it")->capture_default_str();
  verb->add_flag("--json", arguments->json, "one JSON object");
  verb->callback([arguments] { agreement(*arguments); });
}

}  // namespace dreamgym
