// The loop every policy-gradient algorithm shares: play, learn, keep the best, save and resume.
//
// One iteration: the curriculum names tasks; they are played; the algorithm learns from the episodes;
// what was seen goes to the listener (replay buffer, logs); every few iterations the policy is
// validated and the best one kept. grpo.h and ppo.h say how many tasks, who plays them, and how is learnt.
// Source: DreamGym (arXiv 2511.03773) sections 4.2-4.3.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/progress.h"
#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/rollout/play_episodes.h"
#include "dreamgym/train/checkpoint.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

/// The policy that learns: weights with gradients, the engine that samples from them, the tokenizer.
struct Policy {
  TrainableModel& model;
  GenerationEngine& engine;
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// Where episodes are played.
struct Playground {
  EnvironmentBatch& environment;
  const ActionMapperFactory* mappers;         ///< null = candidates from the observation
  Provenance provenance = Provenance::kReal;
  std::string simulator_version;
};

struct PolicyReport {
  std::size_t iterations = 0;
  std::size_t environment_steps = 0;
  std::size_t episodes = 0;
  std::size_t sampled_tokens = 0;
  std::size_t trained_tokens = 0;    ///< by the policy; a critic computes as many
  std::size_t skipped_updates = 0;   ///< non-finite gradient, of policy or critic
  std::size_t idle_iterations = 0;   ///< no group had variance: nothing to learn (GRPO)
  std::size_t best_iteration = 0;    ///< of the policy that was kept
  double best_validation = 0;
  // Wall time of this process (not of a run it resumed).
  double environment_seconds = 0;    ///< reset and step of the playground
  double agent_seconds = 0;          ///< the policy's decisions
  double update_seconds = 0;         ///< values, gradients and optimisers
};

/// Thread safety: none. Lifetime: all references are borrowed.
class PolicyTrainer {
 public:
  virtual ~PolicyTrainer() = default;
  PolicyTrainer(const PolicyTrainer&) = delete;
  PolicyTrainer& operator=(const PolicyTrainer&) = delete;

  /// Success rate of the engine's present policy in [0, 1]; used to keep the best.
  std::function<double()> validate;
  TrainingListener* listener = nullptr;       ///< borrowed
  ProgressSink* progress = nullptr;           ///< borrowed
  std::optional<Path> checkpoints;            ///< folder to save to and resume from

  /// Trains; model and engine end up holding the policy that was kept.
  PolicyReport run(const std::string& phase);

 protected:
  /// What the loop needs of an algorithm's configuration.
  struct Loop {
    std::size_t iterations;
    std::size_t tasks_per_iteration;
    std::size_t episodes_per_task;
    std::size_t max_steps;
    std::size_t step_budget;                  ///< 0 = no limit
    std::size_t validate_every;
    std::size_t checkpoint_every;
    double temperature;
    bool has_reference;                       ///< the loss has a KL term against the start policy
  };

  PolicyTrainer(Policy policy,
                TaskCurriculum& curriculum,
                Playground playground,
                Loop loop,
                const Rng& rng);

  /// One iteration's lessons, curriculum included; counts into report_ and metrics_.
  virtual void learn(const std::vector<Episode>& episodes) = 0;
  /// What the progress bar says of the iteration.
  virtual std::string remark() = 0;
  /// What a checkpoint holds beside policy, curriculum, listener and counts.
  virtual void save_more(Blobs& /*blobs*/) const {}
  virtual void restore_more(const Blobs& /*blobs*/) {}

  Policy policy_;
  TaskCurriculum& curriculum_;
  Rng rng_;
  PolicyReport report_;
  std::unique_ptr<TrainableModel> reference_; // null without a KL term
  std::map<std::string, double> metrics_;     // of the present iteration

 private:
  [[nodiscard]] std::size_t tasks_that_fit() const;
  std::vector<Episode> play(const std::vector<Task>& tasks);
  void record_pools();
  void take_reference(std::string weights);
  void keep_best();
  void publish(const std::string& version);
  void save() const;
  bool resume();
  [[nodiscard]] std::string version() const;

  Playground playground_;
  Loop loop_;
  std::string phase_;
  std::string best_weights_;
  std::string reference_weights_;             // empty without a KL term
};

}  // namespace dreamgym
