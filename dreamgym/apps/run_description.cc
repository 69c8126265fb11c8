#include "dreamgym/apps/run_description.h"

#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

#ifndef DREAMGYM_COMMIT
#define DREAMGYM_COMMIT "unknown"
#endif
#ifndef DREAMGYM_VERSION
#define DREAMGYM_VERSION "0"
#endif

namespace dreamgym {
namespace {

std::string processor_name() {
  std::string name = "unknown";
  if (std::filesystem::exists("/proc/cpuinfo")) {
    for_each_line("/proc/cpuinfo", [&](std::size_t, std::string_view line) {
      if (!line.starts_with("model name")) {
        return true;
      }
      name = trim(line.substr(line.find(':') + 1));
      return false;
    });
  }
  return name;
}

}  // namespace

std::string program_version() { return DREAMGYM_VERSION " (" DREAMGYM_COMMIT ")"; }

void write_run_description(const Path& run_folder, const ExperimentConfig& config) {
  write_file(run_folder / "config.toml", experiment_toml(config));
  const nlohmann::json json = {{"program", program_version()},
                               {"seed", config.seed},
                               {"world", config.world},
                               {"threads", config.threads},
                               {"processor", processor_name()},
                               {"processors", std::thread::hardware_concurrency()}};
  write_file(run_folder / "run.json", json.dump(1) + "\n");
}

ExperimentConfig read_run_config(const Path& run_folder) {
  const Path file = run_folder / "config.toml";
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} is no run folder: it has no config.toml", run_folder.string()),
                "name the folder given to --run or --out when the run was started");
  }
  return load_experiment(file.string(), {});
}

void check_same_config(const Path& run_folder, const ExperimentConfig& config) {
  const Path file = run_folder / "config.toml";
  if (!std::filesystem::exists(file)) {
    return;
  }
  // What does not change results may change on the way.
  const auto comparable = [](ExperimentConfig copy) {
    copy.threads = 1;
    copy.check.force = false;
    return split(experiment_toml(copy), '\n');
  };
  const auto before = comparable(read_run_config(run_folder));
  const auto now = comparable(config);
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
    if (before[i] != now[i]) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{} was begun with '{}', now it is '{}'",
                              run_folder.string(),
                              before[i].substr(0, before[i].find("  #")),
                              now[i].substr(0, now[i].find("  #"))),
                  "continue with the settings of its config.toml, or choose another folder");
    }
  }
}

}  // namespace dreamgym
