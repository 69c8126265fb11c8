// Fig. 3 of the paper, middle: what policies trained in one world do in another, by the same prompt and
// with the vocabulary they have. A text without tokens of its own is spelled out, so every policy can
// read every world; the name tokens of its own world help it nowhere else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dreamgym/apps/stage_log.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/report/grid.h"

namespace dreamgym {

/// Settings of the world that is transferred to.
/// @param target  alfworld, webshop, or a TOML file; "" = the other one of the two.
/// @throws Error  kConfig for an unknown name, and for the run's own world.
ExperimentConfig transfer_config(const std::string& target,
                                 const ExperimentConfig& home,
                                 const std::string& scale);

/// Plays the run's policies in the other world, and one trained there by imitation from the same base.
/// Each is a stage of the run's log: what is done is not done again.
void evaluate_transfer(const Path& run_folder, const ExperimentConfig& other, ProgressSink& progress);

/// What was played so far, of all seeds.
std::vector<GridTransfer> transfer_rows(const std::string& world, std::span<const StageLog> logs);

}  // namespace dreamgym
