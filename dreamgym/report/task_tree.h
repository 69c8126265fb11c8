// Where generated tasks come from and what became of them: tasks.jsonl of the run folder
// (docs/formats/run_folder.md), a JSON object a line.
//
// Written by whoever trained, read by the report. Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym {

/// A task that was varied, or a variation.
struct TaskRecord {
  std::string phase{};             ///< stage that generated it
  std::string id{};
  std::string parent{};            ///< id of the task it varies; "" = an original one
  std::string instruction{};
  std::uint64_t num_groups = 0;    ///< that played it
  double success_probability = 0;  ///< expected
  double value = 0;                ///< Eq. 7, smoothed
  std::optional<bool> solvable{};  ///< by the world's engine; nothing if nobody could tell
  std::string remark{};            ///< why it can't be solved
  bool operator==(const TaskRecord&) const = default;
};

void write_task_records(const Path& file, const std::vector<TaskRecord>& records);
/// @throws Error kParse naming the line. Missing keys take their defaults.
std::vector<TaskRecord> read_task_records(const Path& file);

}  // namespace dreamgym
