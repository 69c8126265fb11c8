// The loop every policy-gradient algorithm shares: play, learn, keep the best, save and resume.
//
// One iteration: groups of episodes are played (group_player.h); the algorithm learns from them;
// what was seen goes to the listener (replay buffer, logs); every few iterations the policy is
// validated and the best one kept. Guards watch every step and may end it all (policy_guards.h).
// grpo.h and ppo.h say how is learnt.
// Source: DreamGym (arXiv 2511.03773) sections 4.2-4.3.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/train/adaptive_kl.h"
#include "dreamgym/train/checkpoint.h"
#include "dreamgym/train/episode_rewards.h"
#include "dreamgym/train/group_player.h"
#include "dreamgym/train/iteration_times.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/policy_guards.h"
#include "dreamgym/train/policy_training_config.h"
#include "dreamgym/train/policy_update.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

struct PolicyReport {
  std::size_t iterations = 0;
  std::size_t environment_steps = 0;  ///< in the first place: those the budget counts
  std::size_t second_steps = 0;       ///< in the second, where there is one
  std::size_t episodes = 0;
  std::size_t failed_attempts = 0;    ///< episodes an environment failed in, once for each time
  std::size_t lost_episodes = 0;      ///< left out for good
  std::size_t sampled_tokens = 0;
  std::size_t trained_tokens = 0;    ///< by the policy; a critic computes as many
  std::size_t idle_iterations = 0;   ///< no group had variance: nothing to learn
  std::size_t best_iteration = 0;    ///< of the policy that was kept
  std::size_t calm_iteration = 0;    ///< last one before the guards' present alarms
  double best_validation = 0;
  double kl_coefficient = 0;         ///< present one (KlControlConfig::adaptive)
  GuardCounts guards;                ///< what triggered
  StopReason stopped_by = StopReason::kNone;
  std::vector<std::string> guard_remarks;  ///< the same as sentences; empty while all is well
  // Wall time of this process (not of a run it resumed).
  double environment_seconds = 0;    ///< reset and step of the playgrounds
  double agent_seconds = 0;          ///< the policy's decisions
  IterationTimes times;              ///< of all iterations
};

/// What a checkpoint holds of it.
template <class Field>
void visit_state(PolicyReport& report, Field&& field) {
  field("environment_steps", report.environment_steps);
  field("second_steps", report.second_steps);
  field("episodes", report.episodes);
  field("failed_attempts", report.failed_attempts);
  field("lost_episodes", report.lost_episodes);
  field("sampled_tokens", report.sampled_tokens);
  field("trained_tokens", report.trained_tokens);
  field("idle_iterations", report.idle_iterations);
  field("best_iteration", report.best_iteration);
  field("calm_iteration", report.calm_iteration);
  field("best_validation", report.best_validation);
  field("kl_coefficient", report.kl_coefficient);
}

/// The policy's engine holds the weights of its model; where that trains an adapter, the frozen ones, and
/// is handed adapters only.
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
  /// At each validation and after the last iteration, "theory/surrogate_advantage" and
  /// "theory/divergence_nats" (policy_progress.h) are measured with this discount; nothing = never.
  std::optional<double> theory_discount;

  /// Who plays: its second place, limits and watchdog may be set before run().
  GroupPlayer& player() { return player_; }

  /// Trains; model and engine end up holding the policy that was kept. With checkpoints it resumes
  /// where it was, bit for bit; only with `overlap` the first iteration after a resume is played
  /// anew, by the newer policy.
  PolicyReport run(const std::string& phase);

 protected:
  /// @throws Error kInvalidArgument for a config out of range, or whose parts don't go together.
  PolicyTrainer(Policy policy,
                TaskCurriculum& curriculum,
                Playground playground,
                const PolicyTrainingConfig& config,
                const Rng& rng);

  /// One iteration's lessons; counts into report_ and metrics_.
  virtual void learn(const std::vector<Episode>& episodes) = 0;
  /// What the progress bar says of the iteration.
  virtual std::string remark() = 0;
  /// What a checkpoint holds beside policy, curriculum, listener and counts.
  virtual void save_more(Blobs& /*blobs*/) const {}
  virtual void restore_more(const Blobs& /*blobs*/) {}

  /// Rewards with everything training adds, the KL in the reward included.
  std::vector<EpisodeRewards> rewards_of(const std::vector<Episode>& episodes);
  /// Fills old_logprobs and weights where mismatch_correction asks for it, before any update.
  void correct_mismatch(std::span<PolicyLesson* const> lessons);
  /// Calls `step` with the lessons of each optimiser step: all of them in every pass, shuffled.
  void for_each_mini_batch(std::span<const PolicyLesson* const> lessons,
                           const std::function<void(std::span<const std::size_t>)>& step);
  /// One optimiser step of the policy. The first of an iteration also says how far sampler and trainer
  /// are apart, unless correct_mismatch() has.
  void step(std::span<const PolicyLesson* const> lessons);

  Policy policy_;
  PolicyTrainingConfig config_;
  Rng rng_;
  PolicyReport report_;
  PolicyGuards guards_;
  std::map<std::string, double> metrics_;     // of the present iteration

 private:
  [[nodiscard]] bool more_to_play(std::size_t iteration) const;
  /// Plays, learns and validates once. @param ahead  the next iteration, where it is played already.
  void iterate(std::future<PlayedIteration>& ahead);
  [[nodiscard]] bool stopped() const;
  [[nodiscard]] bool validation_due() const;
  void compare_with_sampler(const std::vector<Episode>& episodes);
  void note_mismatch(std::span<const double> trainer, std::span<const double> engine);
  /// What the guards make of the iteration; keeps the policy from before the first of their alarms.
  void watch();
  void remember_calm_policy();
  void measure_theory(const std::vector<Episode>& episodes);
  void keep_policy();
  void take(const PlayedIteration& played);
  void record_pools();
  void take_reference(std::string weights);
  void follow_kl_target(std::size_t num_episodes);
  void keep_best();
  void publish(const std::string& version);
  void save() const;
  bool resume();
  [[nodiscard]] std::string version() const;

  TaskCurriculum& curriculum_;
  GroupPlayer player_;
  std::optional<ReferencePolicy> reference_;  // nothing without a KL term
  std::string phase_;
  std::string best_weights_;
  std::string reference_weights_;             // empty without a KL term; the adapter's under one
  std::string calm_weights_;                  // of the last policy before the guards' present alarms
  IterationTimes times_;                      // of the present iteration
  SteadyClock clock_;
  std::chrono::nanoseconds mark_{};           // its begin
  std::size_t num_groups_ = 0;                // of the present iteration
  std::string curriculum_state_;              // after what is learnt from, before what is played ahead
};

}  // namespace dreamgym
