// Which stages of a run are done, and what each cost: progress.json of the run folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym {

struct StageRecord {
  std::uint64_t real_steps = 0;     ///< online steps taken in the real world
  std::uint64_t dreamed_steps = 0;
  std::uint64_t tokens = 0;         ///< computed or sampled while training
  double seconds = 0;
  std::uint64_t peak_bytes = 0;     ///< resident memory of the process while the stage ran
  std::string note;
  std::vector<double> outcomes;     ///< of an evaluation, in panel order
  std::map<std::string, double> measures;
};

/// Thread safety: none.
class StageLog {
 public:
  /// Reads DIR/progress.json if it is there.
  /// @throws Error kUnsupported if another version wrote it, kCorrupt if it is damaged.
  explicit StageLog(const Path& run_folder);

  [[nodiscard]] bool done(const std::string& stage) const { return stages_.contains(stage); }
  /// @throws Error kNotFound if the stage is not done.
  [[nodiscard]] const StageRecord& record(const std::string& stage) const;
  /// Marks a stage as done and writes the file; `recorder` is the recorder's state at that moment.
  void finish(const std::string& stage, StageRecord record, const std::string& recorder);
  /// Keeps only these stages, as if the others had never been done, and writes the file.
  void keep_only(const std::vector<std::string>& stages);
  /// State of the recorder when the last stage was finished; "" if none was.
  [[nodiscard]] const std::string& recorder_state() const { return recorder_; }
  [[nodiscard]] const std::map<std::string, StageRecord>& stages() const { return stages_; }

 private:
  void write() const;

  Path file_;
  std::map<std::string, StageRecord> stages_;
  std::string recorder_;
};

}  // namespace dreamgym
