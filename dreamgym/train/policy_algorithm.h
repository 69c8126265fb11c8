// The algorithms and presets a training stage can be named: what each name stands for, and the
// trainer that keeps it.
//
// A name sets values of PolicyTrainingConfig; whatever is set after it stands. So an algorithm is
// chosen with one word and every number of it can still be changed.
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/train/policy_trainer.h"

namespace dreamgym {

/// grpo, dr_grpo, rloo, reinforce_pp, reinforce_pp_baseline, gigpo, dapo, gspo, cispo, ppo.
const std::vector<std::string>& policy_algorithm_names();

/// Sets what makes up the algorithm: estimator, step advantages, surrogate, clip bounds, dual clip,
/// aggregation, dynamic sampling; for ppo also one episode a task (as many episodes in all). Rates,
/// sizes, KL and entropy terms are kept.
/// @throws Error kConfig for an unknown name, naming the known ones and the nearest.
/// Source:       docs/algorithms.md names each algorithm's.
void apply_algorithm(std::string_view name, PolicyTrainingConfig& config);

/// verl-agent, dreamgym, s2r.
const std::vector<std::string>& training_preset_names();

/// Published settings for pretrained language models of 1.5B parameters and more; this project's
/// small models train at higher rates (PolicyTrainingConfig's own values). Sets sampling, rates, KL,
/// clip, penalties and counting; the algorithm is kept.
///
///   verl-agent  the example scripts of the method's closest public code, number by number
///   dreamgym    the same for training in a dream: episodes count once, singletons are left out
///   s2r         dreamgym at half the rate, with 5,000 real steps
///
/// @param world   WebShop has smaller updates and step advantages that are not divided by their
///                spread there; every other world takes ALFWorld's values.
/// @throws Error  kConfig for an unknown preset, naming the known ones and the nearest.
/// Source:        verl-agent example scripts (January 2026); suggested defaults for the rest.
void apply_preset(std::string_view name, std::string_view world, PolicyTrainingConfig& config);

/// True for algorithms with a critic (ppo).
bool needs_critic(const PolicyTrainingConfig& config);

/// The trainer of config.algorithm.
/// @param critic  borrowed; null unless needs_critic(config).
/// @throws Error  as the trainer's constructor.
std::unique_ptr<PolicyTrainer> make_policy_trainer(Policy policy,
                                                   TrainableModel* critic,
                                                   TaskCurriculum& curriculum,
                                                   Playground playground,
                                                   const PolicyTrainingConfig& config,
                                                   const Rng& rng);

}  // namespace dreamgym
