// Writes what happens into the run folder: metrics.jsonl, episodes.jsonl and the replay buffer.
//
// Part of the checkpointed state: after a crash everything written since the last checkpoint is
// forgotten, so a resumed run leaves the same files as an uninterrupted one.
// Thread safety: none.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/metrics.h"
#include "dreamgym/replay/replay_buffer.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

class RunRecorder final : public MetricsSink, public TrainingListener {
 public:
  /// @param buffer         borrowed; receives dreamed episodes; may be null.
  /// @param episodes_kept  of each iteration, written to episodes.jsonl.
  RunRecorder(const Path& run_folder, ReplayBuffer* buffer, std::size_t episodes_kept);

  /// Name of what is going on, the "phase" of the lines written by on_iteration().
  void set_phase(std::string phase) { phase_ = std::move(phase); }

  void record(std::string_view phase,
              std::uint64_t step,
              const std::map<std::string, double>& values) override;
  void on_iteration(std::size_t iteration,
                    const std::vector<Episode>& episodes,
                    const std::map<std::string, double>& metrics) override;
  /// A line of its own, which runs of one seed don't share.
  void on_times(std::size_t iteration, const std::map<std::string, double>& times) override;
  /// Writes episodes under a name of their own, e.g. an evaluation.
  void keep_episodes(const std::vector<Episode>& episodes, std::size_t count, const std::string& tag);

  /// While it lives, another buffer receives what is played.
  class OtherBuffer {
   public:
    /// @param explain_real  gives a real episode its traces; then those go there too, so that the
    ///                      dream learns from them. Empty = only dreamed ones.
    OtherBuffer(RunRecorder& recorder,
                ReplayBuffer* buffer,
                std::function<void(Trajectory&)> explain_real = {});
    ~OtherBuffer();
    OtherBuffer(const OtherBuffer&) = delete;
    OtherBuffer& operator=(const OtherBuffer&) = delete;

   private:
    RunRecorder& recorder_;
    ReplayBuffer* before_;
  };

  [[nodiscard]] std::string save() const override;
  void restore(const std::string& state) override;

 private:
  std::string phase_;
  ReplayBuffer* buffer_;
  std::function<void(Trajectory&)> explain_real_;
  std::size_t episodes_kept_;
  LineWriter metrics_;
  LineWriter episodes_;
};

}  // namespace dreamgym
