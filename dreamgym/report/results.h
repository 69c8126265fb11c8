// What a run found out, as plain values: results.json of the run folder
// (docs/formats/run_folder.md).
//
// Written by whoever measured, read by the report. Shares and rates are in [0, 1].
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym {

struct Interval {
  double value = 0;
  double low = 0;  ///< 95%
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// One row of the comparison table.
struct ArmResult {
  std::string arm;            ///< machine name, e.g. "dream"
  std::string title;          ///< as shown, e.g. "DreamGym (0 further real steps)"
  Interval success;           ///< real success on the held-out panel; nothing if num_tasks is 0
  std::size_t num_tasks = 0;  ///< 0 = not measured
  std::optional<double> mean_return{};  ///< in worlds that pay in parts, e.g. WebShop's score
  std::map<std::string, Interval> by_type;
  std::uint64_t offline_steps = 0;  ///< logged real transitions this arm learnt from
  std::uint64_t real_steps = 0;     ///< online real steps
  std::uint64_t dreamed_steps = 0;
  std::uint64_t tokens = 0;
  double seconds = 0;  ///< of training
  std::string note;
  bool operator==(const ArmResult&) const = default;
};

/// a minus b on the same tasks.
struct PairedResult {
  std::string a;
  std::string b;
  Interval difference;
  std::size_t num_tasks = 0;
  bool operator==(const PairedResult&) const = default;
};

/// The free-running check.
struct CheckResult {
  std::size_t num_tasks = 0;
  Interval dreamed_success;
  std::optional<Interval> real_success;
  std::optional<Interval> gap;
  std::optional<double> confirmed_share;
  std::optional<double> contradictions_per_episode;
  std::optional<double> second_looks_agree;
  std::optional<Interval> logged_success;  ///< of the logs' agents
  std::optional<Interval> above_logs;      ///< dreamed minus logged
  bool passed = false;
  std::string verdict;
  std::vector<std::string> alarms{};  ///< what to look at even though it passed
  bool operator==(const CheckResult&) const = default;
};

struct RunResults {
  std::string world;
  std::uint64_t seed = 0;
  bool real_evaluation = true;  ///< false = no engine: nothing was checked against reality
  std::vector<ArmResult> arms;
  std::vector<PairedResult> paired;
  std::optional<CheckResult> check;          ///< before training in the dream
  std::map<std::string, double> fidelity;    ///< measures of the experience model by name
  std::vector<std::string> fidelity_misses;  ///< a few wrong predictions
  std::vector<std::string> notes;            ///< guards that triggered, deviations, warnings
  bool operator==(const RunResults&) const = default;
};

/// The whole file. Invalid UTF-8 is replaced; numbers that are not finite, and rates over no
/// tasks, become null.
std::string to_json(const RunResults& results);
/// Missing keys take their defaults; unknown ones are ignored; null numbers read as 0.
/// @throws Error kParse naming the key, kCorrupt if it is of another version.
RunResults results_from_json(std::string_view text);

void write_results(const Path& run_folder, const RunResults& results);
/// Nothing if the run has none yet.
/// @throws Error as results_from_json, naming the file.
std::optional<RunResults> read_results(const Path& run_folder);

}  // namespace dreamgym
