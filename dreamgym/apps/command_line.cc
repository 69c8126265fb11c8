#include "dreamgym/apps/command_line.h"

#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

bool is_usage(ErrorKind kind) {
  return kind == ErrorKind::kConfig || kind == ErrorKind::kInvalidArgument;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app(
      "dreamgym: train language-model agents inside a dreamed environment.\n"
      "Start with `dreamgym quickstart`; every verb has --help with an example.",
      "dreamgym");
  app.set_version_flag("--version", program_version());
  app.require_subcommand(1);
  add_all_commands(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "dreamgym: {} error: {}\n", error_kind_name(error.kind()), error.what());
    return is_usage(error.kind()) ? kUsage : kFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dreamgym: internal error: {}\n", error.what());
    return kFailure;
  }
}

}  // namespace dreamgym
