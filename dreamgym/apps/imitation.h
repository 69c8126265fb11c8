// Behaviour cloning of a run's policies: the same for our own models and pretrained ones.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/apps/policy_model.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/train/sft.h"

namespace dreamgym {

/// Trains a policy on the actions of the demonstrations and saves it as `model`.
/// @param sft      one of the configuration's sections.
/// @param names    content names that may stand for each other (SftConfig::name_permutation); a pretrained policy,
///                 to which they are no tokens, takes none.
/// @param rng      of the run; its streams for this are named after `run.phase`.
/// @throws Error   as train_sft().
SftReport imitate(PolicyModel policy,
                  const std::vector<Trajectory>& demonstrations,
                  const ExperimentConfig& config,
                  const SftConfig& sft,
                  const std::vector<TokenId>& names,
                  const Rng& rng,
                  const TrainingRun& run,
                  const Path& model);

}  // namespace dreamgym
