#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/run_report.h"

namespace dreamgym {

void add_report_command(CLI::App& app) {
  auto run = std::make_shared<std::string>();
  auto open = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand(
      "report", "Write RUN/report.html from the run folder.\nExample: dreamgym report runs/quickstart --open");
  verb->add_option("run", *run, "run folder")->required();
  verb->add_flag("--open", *open, "and show it in the browser");
  verb->callback([run, open] {
    const Path page = report_run(*run);
    fmt::print("{}\n", page.string());
    if (*open) {
      const std::string command = "xdg-open '" + page.string() + "' >/dev/null 2>&1";
      if (std::system(command.c_str()) != 0) {  // NOLINT(concurrency-mt-unsafe): single-threaded here
        fmt::print(stderr, "no browser could be started; open the file yourself\n");
      }
    }
  });
}

}  // namespace dreamgym
