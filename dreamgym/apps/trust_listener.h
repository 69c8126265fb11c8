// What says, while a policy trains in a dream, whether the dream can still be trusted.
//
// Every iteration: how many dreamed successes their own text bears out (a rule check, where the world has
// one), and, where nothing else can be compared, how far dreamed success lies above the logs'. At probes:
// dreamed minus real success on the same tasks. A rise that lasts is an alarm; at probes it ends the
// training. Where the trainer says how far the policy has moved, the terms of Theorem 1 are added.
// Everything else goes on to the recorder.
// Thread safety: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/progress.h"
#include "dreamgym/env/episode_auditor.h"
#include "dreamgym/eval/gap_trend.h"
#include "dreamgym/eval/performance_bound.h"
#include "dreamgym/eval/policy_panel.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

struct TrustSettings {
  const EpisodeAuditor* auditor = nullptr;        ///< borrowed; may be null
  std::optional<double> logged_success = {};      ///< only where there is no world
  double max_rise = 0.15;
  std::optional<BoundInputs> theory = {};         ///< the dream's errors and the discount
};

class TrustListener final : public TrainingListener {
 public:
  /// @param recorder  borrowed; gets the iteration with what was found added to its metrics.
  TrustListener(TrainingListener& recorder, TrustSettings settings, ProgressSink& progress);

  /// The same tasks played in the dream and in reality by the present policy.
  void observe_probe(const PanelResult& dreamed, const PanelResult& real);

  void on_iteration(std::size_t iteration,
                    const std::vector<Episode>& episodes,
                    const std::map<std::string, double>& metrics) override;
  void on_times(std::size_t iteration, const std::map<std::string, double>& times) override {
    recorder_.on_times(iteration, times);
  }
  [[nodiscard]] std::string save() const override;
  void restore(const std::string& state) override;
  [[nodiscard]] bool wants_stop() const override { return probes_.alarmed(); }

  /// Real steps of the probes so far.
  [[nodiscard]] std::size_t probe_steps() const { return probe_steps_; }
  /// What was found, a sentence each; empty while all is well.
  [[nodiscard]] std::vector<std::string> alarms() const;

 private:
  void announce();

  TrainingListener& recorder_;
  TrustSettings settings_;
  ProgressSink& progress_;
  GapTrend unconfirmed_;
  GapTrend probes_;
  std::size_t probe_steps_ = 0;
  std::map<std::string, double> probe_metrics_;  // of a probe, until its iteration is recorded
  std::size_t num_announced_ = 0;
};

}  // namespace dreamgym
