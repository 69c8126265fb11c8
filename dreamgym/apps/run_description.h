// config.toml and run.json: what a run was told and what it ran on.
#pragma once

#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"

namespace dreamgym {

/// Version and commit of this program, e.g. "0.1.0 (1f3c9ab)".
std::string program_version();

/// Writes both files. @throws Error kIo.
void write_run_description(const Path& run_folder, const ExperimentConfig& config);

/// The configuration a run was begun with. @throws Error kNotFound if the folder holds no run.
ExperimentConfig read_run_config(const Path& run_folder);

/// Refuses to continue a run under another configuration.
/// @throws Error kConfig naming the first line that differs.
void check_same_config(const Path& run_folder, const ExperimentConfig& config);

}  // namespace dreamgym
