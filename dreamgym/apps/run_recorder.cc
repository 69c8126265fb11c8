#include "dreamgym/apps/run_recorder.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/replay/saturation.h"

namespace dreamgym {

RunRecorder::RunRecorder(const Path& run_folder, ReplayBuffer* buffer, std::size_t episodes_kept)
    : buffer_(buffer),
      episodes_kept_(episodes_kept),
      metrics_(run_folder / "metrics.jsonl"),
      episodes_(run_folder / "episodes.jsonl") {}

void RunRecorder::record(std::string_view phase,
                         std::uint64_t step,
                         const std::map<std::string, double>& values) {
  metrics_.write_line(
      nlohmann::json{{"phase", phase}, {"step", step}, {"values", values}}.dump());
}

void RunRecorder::on_iteration(std::size_t iteration,
                               const std::vector<Episode>& episodes,
                               const std::map<std::string, double>& metrics) {
  std::map<std::string, double> values = metrics;
  std::vector<Trajectory> remembered;
  for (const Episode& episode : episodes) {
    const bool is_real = episode.trajectory.provenance == Provenance::kReal;
    if (!is_real || explain_real_) {
      remembered.push_back(episode.trajectory);
      if (is_real) {
        explain_real_(remembered.back());
      }
      remembered.back().episode_id =
          fmt::format("{}/{}/{}", phase_, iteration, episode.trajectory.episode_id);
    }
  }
  if (buffer_ != nullptr && !remembered.empty()) {
    const auto report = buffer_->add(remembered);
    values["replay/added_transitions"] = static_cast<double>(report.added);
    values["replay/duplicate_share"] =
        static_cast<double>(report.duplicates) /
        static_cast<double>(std::max<std::size_t>(1, report.added + report.duplicates));
    values["replay/dreamed_transitions"] = static_cast<double>(buffer_->num_dreamed());
    values["replay/effective_share"] = measure_variety(remembered).effective_share;
  }
  record(phase_, iteration, values);
  keep_episodes(episodes, episodes_kept_, fmt::format("{}/{}", phase_, iteration));
}

void RunRecorder::on_times(std::size_t iteration, const std::map<std::string, double>& times) {
  record(phase_, iteration, times);
}

void RunRecorder::keep_episodes(const std::vector<Episode>& episodes,
                                std::size_t count,
                                const std::string& tag) {
  for (std::size_t i = 0; i < std::min(count, episodes.size()); ++i) {
    Trajectory story = episodes[i].trajectory;
    story.episode_id = tag + "/" + story.episode_id;
    episodes_.write_line(to_json_line(story));
  }
}

RunRecorder::OtherBuffer::OtherBuffer(RunRecorder& recorder,
                                      ReplayBuffer* buffer,
                                      std::function<void(Trajectory&)> explain_real)
    : recorder_(recorder), before_(recorder.buffer_) {
  recorder_.buffer_ = buffer;
  recorder_.explain_real_ = std::move(explain_real);
}

RunRecorder::OtherBuffer::~OtherBuffer() {
  recorder_.buffer_ = before_;
  recorder_.explain_real_ = nullptr;
}

std::string RunRecorder::save() const {
  return fmt::format("{} {} {}",
                     metrics_.size_bytes(),
                     episodes_.size_bytes(),
                     buffer_ != nullptr ? buffer_->mark() : 0);
}

void RunRecorder::restore(const std::string& state) {
  const std::vector<std::string> fields = words(state);
  const bool has_all = fields.size() == 3;
  const auto metrics = has_all ? parse_unsigned(fields[0]) : std::nullopt;
  const auto episodes = has_all ? parse_unsigned(fields[1]) : std::nullopt;
  const auto mark = has_all ? parse_unsigned(fields[2]) : std::nullopt;
  if (!metrics || !episodes || !mark) {
    throw Error(ErrorKind::kCorrupt, "the recorder's state is damaged: " + shorten(state, 60));
  }
  metrics_.truncate(*metrics);
  episodes_.truncate(*episodes);
  if (buffer_ != nullptr) {
    buffer_->roll_back_to(*mark);
  }
}

}  // namespace dreamgym
