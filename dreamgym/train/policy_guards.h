// What watches over policy training and acts: steps left out, the learning rate lowered, a run that
// goes astray ended.
//
// An alarm is an iteration that moved the policy too far (KL to the policy before it) or left it hardly
// any choice (entropy) while it fails: a policy that succeeds in 90% of its episodes needs none. Alarms
// in `patience` updated iterations in a row end the training; what is kept is the best validated policy,
// or else the one before the first of these alarms.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/train/gradient_guard.h"

namespace dreamgym {

struct GuardConfig {
  double max_kl = 0.2;              ///< |mean k1|, nats per token, that an iteration may move the policy; 0 = any
  double min_entropy_share = 0.05;  ///< of the first update's entropy, below which is an alarm; 0 = none
  std::size_t patience = 3;         ///< alarms in a row that end the training; 0 = never
  /// Gradient norm / usual norm beyond which a step is left out, e.g. 10; 0 = none. Off by default: a
  /// sure policy's rare mistakes have long gradients too, and they are what is left to learn.
  double spike_ratio = 0;
  /// Rate after a step that was left out, and after a KL alarm; 1 = the rate is never touched.
  double rate_factor = 1.0;
  double rate_floor = 0.1;          ///< share of the configured rates, never less
};

enum class StopReason { kNone, kKl, kEntropy };

/// What triggered, over a whole run.
struct GuardCounts {
  std::size_t not_finite = 0;      ///< steps left out, of policy or critic
  std::size_t spikes = 0;          ///< likewise
  std::size_t kl_alarms = 0;       ///< iterations
  std::size_t entropy_alarms = 0;  ///< iterations
  std::size_t backoffs = 0;        ///< times the rate was lowered
};

class PolicyGuards {
 public:
  /// @throws Error kInvalidArgument for a value out of range, naming it.
  explicit PolicyGuards(const GuardConfig& config);

  GradientGuard& policy() { return policy_; }
  GradientGuard& critic() { return critic_; }
  /// Multiplies the configured learning rates.
  [[nodiscard]] double rate_share() const { return rate_share_; }

  /// Forgets what the metrics said of the iteration before.
  void begin_iteration();
  /// After each optimiser step, of policy or critic.
  void count(const GuardedUpdate& update);
  /// After an iteration; nothing where it had no update. @param success  share of its episodes.
  void observe(std::optional<double> kl, std::optional<double> entropy, double success);

  /// Alarms in a row, up to now.
  [[nodiscard]] std::size_t num_alarms() const { return num_alarms_; }
  [[nodiscard]] StopReason stop_reason() const;
  [[nodiscard]] const GuardCounts& counts() const { return counts_; }
  /// Of the present iteration, in the names of docs/metrics.md.
  [[nodiscard]] std::map<std::string, double> metrics() const;
  /// What triggered, a sentence each; empty while all is well.
  [[nodiscard]] std::vector<std::string> remarks() const;

  /// Everything a resumed run needs to go on bit for bit.
  [[nodiscard]] std::string save() const;
  /// @throws Error kCorrupt if it is not what save() writes.
  void restore(const std::string& state);

 private:
  void lower_rate();
  template <class Field>
  void visit_state(Field&& field);

  GuardConfig config_;
  GradientGuard policy_;
  GradientGuard critic_;
  double rate_share_ = 1.0;
  double first_entropy_ = 0;      // of the first update; 0 before it
  std::size_t num_alarms_ = 0;
  std::size_t last_is_entropy_ = 0;  // 1 where only the entropy raised the last one
  GuardCounts counts_;
  GuardCounts before_;            // the counts when the iteration began
};

}  // namespace dreamgym
