#include "dreamgym/apps/run_description.h"

#include <filesystem>
#include <map>
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

std::string begun_by(const Path& run_folder) {
  const Path file = run_folder / "run.json";
  if (!std::filesystem::exists(file)) {
    return "";
  }
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  return json.is_object() && json.contains("program") && json["program"].is_string()
             ? json["program"].get<std::string>()
             : "";
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

std::vector<std::string> config_changes(const ExperimentConfig& before, const ExperimentConfig& now) {
  const auto settings = [](ExperimentConfig copy) {
    copy.threads = 1;  // results don't depend on it
    copy.check.force = false;
    copy.rollout = {};
    std::map<std::string, std::string> out;
    std::string section;
    for (const std::string& line : split(experiment_toml(copy), '\n')) {
      const std::size_t equals = line.find(" = ");
      if (line.starts_with("[")) {
        section = line.substr(1, line.size() - 2) + ".";
      } else if (equals != std::string::npos) {
        const std::size_t help = line.find("  # ", equals);
        out[section + line.substr(0, equals)] = line.substr(equals + 3, help - equals - 3);
      }
    }
    return out;
  };
  const auto old_settings = settings(before);
  const auto new_settings = settings(now);
  std::vector<std::string> changes;
  for (const auto& [key, value] : old_settings) {
    const auto found = new_settings.find(key);
    if (found == new_settings.end() || found->second != value) {
      changes.push_back(fmt::format(
          "{}: {} -> {}", key, value, found == new_settings.end() ? "(not set)" : found->second));
    }
  }
  for (const auto& [key, value] : new_settings) {
    if (!old_settings.contains(key)) {
      changes.push_back(fmt::format("{}: (not set) -> {}", key, value));
    }
  }
  return changes;
}

void check_same_config(const Path& run_folder, const ExperimentConfig& config, bool force) {
  if (!std::filesystem::exists(run_folder / "config.toml")) {
    return;
  }
  const auto changes = config_changes(read_run_config(run_folder), config);
  if (changes.empty()) {
    return;
  }
  if (!force) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{} was begun with other settings: {}",
                            run_folder.string(),
                            join(changes, "; ")),
                "stages that are done keep what they were made with, so the arms would no longer be "
                "comparable: choose another folder, or say --force to go on all the same");
  }
  write_run_description(run_folder, config);
}

}  // namespace dreamgym
