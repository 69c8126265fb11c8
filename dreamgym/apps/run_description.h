// config.toml and run.json: what a run was told and what it ran on.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"

namespace dreamgym {

/// Version and commit of this program, e.g. "0.1.0 (1f3c9ab)".
std::string program_version();

/// Writes both files. @throws Error kIo.
void write_run_description(const Path& run_folder, const ExperimentConfig& config);

/// The program_version() that wrote the run's files; "" if the folder doesn't say.
std::string begun_by(const Path& run_folder);

/// The configuration a run was begun with. @throws Error kNotFound if the folder holds no run.
ExperimentConfig read_run_config(const Path& run_folder);

/// "section.key: before -> now" for every setting that may change results.
std::vector<std::string> config_changes(const ExperimentConfig& before, const ExperimentConfig& now);

/// Refuses to continue a run under another configuration; with `force` it becomes the run's.
/// @throws Error kConfig naming everything that differs and what going on would do.
void check_same_config(const Path& run_folder, const ExperimentConfig& config, bool force);

}  // namespace dreamgym
