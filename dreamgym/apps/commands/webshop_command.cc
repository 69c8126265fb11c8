#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/shop_generator.h"

namespace dreamgym {
namespace {

struct Options {
  webshop::ShopFiles files;
  std::string goals = "human";
  std::string folder;
  webshop::ShopOptions generated;
};

using Answer = std::string (*)(const webshop::Shop&, std::string_view);

// One JSON object a line in, one out, in step, so that a program can ask as it goes.
void answer_lines(const Options& options, Answer answer, const std::string& form) {
  webshop::ShopFiles files = options.files;
  files.goals = webshop::goal_kind_from_name(options.goals);
  files.note = [](std::string_view note) { fmt::print(stderr, "{}\n", note); };
  const auto shop = webshop::load_shop(files);
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (trim(line).empty()) {
      continue;
    }
    try {
      fmt::print("{}\n", answer(*shop, line));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("line {}: {}", number, error.what()), "expected " + form);
    }
    std::fflush(stdout);
  }
}

void add_lines_command(CLI::App& verb,
                       const std::shared_ptr<Options>& options,
                       const char* name,
                       const char* help,
                       Answer answer) {
  CLI::App* command = verb.add_subcommand(name, help);
  command->add_option("--data", options->files.data_folder, "folder of the catalogue's files")
      ->required();
  command->add_option("--goals", options->goals, "human or synthetic")->capture_default_str();
  command->add_option("--cache",
                      options->files.cache,
                      "folder for the parsed catalogue (large ones are kept beside the files)");
  command->add_option("--prices", options->files.prices, "recorded price table");
  command->add_option("--nouns", options->files.nouns, "recorded noun lists");
  command->callback([options, answer, form = std::string(help)] { answer_lines(*options, answer, form); });
}

}  // namespace

void add_webshop_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "webshop",
      "Ask the world webshop for search results and rewards, or make a catalogue up.\n"
      "Example: echo '{\"query\": \"red shoes\"}' | dreamgym webshop search --data DIR");
  verb->require_subcommand(1);
  add_lines_command(*verb,
                    options,
                    "search",
                    "{\"query\"} a line to {\"hits\": [[asin, score]]}",
                    webshop::answer_search);
  add_lines_command(*verb,
                    options,
                    "reward",
                    "{\"goal\", \"asin\", \"options\", \"price\"} a line to {\"reward\", ...}",
                    webshop::answer_reward);
  CLI::App* generate = verb->add_subcommand(
      "generate", "Write a made-up catalogue in the benchmark's file formats");
  generate->add_option("--out", options->folder, "folder for the three files")->required();
  generate->add_option("--products", options->generated.num_products)->capture_default_str();
  generate->add_option("--instructions", options->generated.instructions_per_product,
                       "human-like goals a product")->capture_default_str();
  generate->add_option("--seed", options->generated.seed)->capture_default_str();
  generate->callback([options] {
    webshop::write_catalogue(options->folder, options->generated);
    fmt::print("{} products in {}\n", options->generated.num_products, options->folder);
  });
}

}  // namespace dreamgym
