#include "dreamgym/apps/command_line.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

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

// No option takes a negative number, and the parser would wrap one round.
void refuse_negative_numbers(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view value = argv[i];
    const std::size_t equals = value.starts_with("--") ? value.find('=') : std::string_view::npos;
    value = equals == std::string_view::npos ? value : value.substr(equals + 1);
    const bool negative =
        value.size() > 1 && value[0] == '-' &&
        std::ranges::all_of(value.substr(1), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    if (negative) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("{}: got {}, expected at least 0",
                              equals == std::string_view::npos && i > 1 ? argv[i - 1] : argv[i],
                              value));
    }
  }
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
    refuse_negative_numbers(argc, argv);
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
