// What is in a run folder, as far as it is there (docs/formats/run_folder.md).
//
// A report must be possible of a run that is young, crashed or damaged; so a missing file or a
// broken line is no error here but a remark that says what is missing and where.
// Thread safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/data/types.h"
#include "dreamgym/report/results.h"
#include "dreamgym/report/task_tree.h"

namespace dreamgym {

/// One quantity of one phase over its steps.
struct MetricSeries {
  std::string phase;
  std::string name;                                      ///< "room/quantity_unit"
  std::vector<std::pair<std::uint64_t, double>> points;  ///< (step, value) as they were written
};

struct RunContents {
  std::string name;         ///< of the folder
  std::string config_toml;  ///< "" if missing
  std::string run_json;     ///< a valid JSON object, or ""
  std::optional<RunResults> results;
  std::vector<MetricSeries> metrics;  ///< in the order they first appear
  std::vector<Trajectory> episodes;   ///< a selection, in file order
  std::size_t num_episodes = 0;       ///< readable ones in the file
  std::vector<TaskRecord> tasks;      ///< generated ones and those they vary; empty if there are none
  std::vector<std::string> missing;   ///< "metrics.jsonl is not there: no learning curves"
  std::vector<std::string> problems;  ///< "episodes.jsonl line 7: ..."
};

struct ReadRunOptions {
  /// Episodes kept in memory; evenly spread over the file within each arm, provenance and outcome.
  std::size_t max_episodes = 240;
  std::size_t max_problems_per_file = 5;  ///< named one by one; the rest is counted
};

/// @throws Error kNotFound if there is no such folder.
RunContents read_run_folder(const Path& folder, const ReadRunOptions& options = {});

/// What an episode was part of: the front of an episode id like "dream/12/e3", else the policy's
/// name up to a '@' or '-' and its step, e.g. "expert" or "dream" of "dream-12".
std::string arm_of(const Trajectory& trajectory);

}  // namespace dreamgym
