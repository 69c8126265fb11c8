// Who dreams in a run, ready to be played in: the experience model it has trained, or a chat model that is asked in
// prompts, here or behind an endpoint; by option with someone who is asked where the dream is unsure.
//
// Everything a stage needs of a dream besides its steps: how faithful it is, variations of tasks by the same
// weights, what it counted.
// Thread safety: none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dreamgym/config/experiment_config.h"
#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/eval/experience_fidelity.h"
#include "dreamgym/experience/reality_witness.h"
#include "dreamgym/experience/stepwise_dream.h"
#include "dreamgym/train/group_player.h"

namespace dreamgym {

class Dreamer {
 public:
  virtual ~Dreamer() = default;
  virtual StepwiseDream& dream() = 0;
  /// Names who dreams; stored with what was dreamed.
  [[nodiscard]] virtual std::string version() const = 0;
  /// One step from true history, over held-out episodes.
  virtual ExperienceFidelity fidelity(std::span<const Trajectory> held_out, const ActionMapperFactory* mappers) = 0;
  /// Variations by the dream's own weights under another prompt (paper Eq. 6). The dreamer must outlive it.
  virtual TaskVariation variation(TaskRevision revise) = 0;
  /// What was counted so far, by name.
  [[nodiscard]] virtual std::map<std::string, double> measures() const = 0;
  /// Of these, what each iteration of training should show: of a dream that asks others.
  [[nodiscard]] virtual std::map<std::string, double> progress() const { return {}; }
  /// What model and retrieval took of the dream's time so far; nothing where that can't be told apart.
  [[nodiscard]] virtual std::optional<EnvironmentTimes> times() const { return std::nullopt; }
  /// Real steps taken where the dream was unsure.
  [[nodiscard]] virtual std::uint64_t real_steps() const { return 0; }
  /// What a checkpoint must keep (of a budget, what is used); one line without '|' and '&', and back.
  [[nodiscard]] virtual std::string save() const { return ""; }
  virtual void restore(const std::string& /*state*/) {}
};

struct DreamerParts {
  const ExperimentConfig& config;
  Path model;                         ///< folder of the trained experience model; not read where a prompted model dreams
  const ReplayBuffer* buffer;         ///< borrowed
  std::size_t threads;
  /// Decides about rewards where experience.reward_by_rule says so; null = the world has no such rule.
  std::shared_ptr<const EpisodeAuditor> rule{};
  /// What the model has learnt from: histories longer than usual there are cut. Empty = only the model's own limit counts.
  std::span<const Trajectory> taught{};
  /// For fallbacks to reality; empty = it is not asked, whatever the configuration says.
  RealityWitness::Factory make_environment{};
  RealityWitness::Explain explain{};
};

/// @throws Error kNotFound if the model is not there; kConfig for a description or server that can't be used.
std::unique_ptr<Dreamer> make_dreamer(const DreamerParts& parts);

}  // namespace dreamgym
