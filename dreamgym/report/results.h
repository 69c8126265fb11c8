// What a run found out: results.json of the run folder, written by whoever ran it, read by the
// report.
//
// Shares and success rates are in [0, 1]. Format: docs/formats/run_folder.md.
// Thread safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym {

/// One row of the comparison table.
struct ArmResult {
  std::string arm;     ///< e.g. "start", "dream", "s2r"
  double success = 0;  ///< real success on the panel; meaningless if n is 0
  double ci_low = 0;   ///< 95% interval
  double ci_high = 0;
  std::size_t n = 0;             ///< tasks played; 0 = not measured (no real world)
  std::uint64_t real_steps = 0;  ///< steps in the real world that went into it, data included
  std::uint64_t dreamed_steps = 0;
  std::uint64_t tokens = 0;  ///< computed or sampled while training
  double seconds = 0;
  std::string note;
  bool operator==(const ArmResult&) const = default;
};

/// Two arms on the same tasks: success(a) - success(b).
struct PairedResult {
  std::string a;
  std::string b;
  double difference = 0;
  double ci_low = 0;
  double ci_high = 0;
  std::size_t n = 0;
  bool operator==(const PairedResult&) const = default;
};

/// One measure of the experience model. A name that ends in "_share" or "_accuracy" is shown as
/// percent.
struct FidelityResult {
  std::string name;  ///< e.g. "predictable_observation_accuracy"
  double value = 0;
  std::size_t n = 0;  ///< how many cases it is measured on; 0 = not said
  std::string note;   ///< what it means, in a few words
  bool operator==(const FidelityResult&) const = default;
};

/// A success rate with its interval.
struct MeasuredShare {
  double value = 0;
  double ci_low = 0;
  double ci_high = 0;
  bool operator==(const MeasuredShare&) const = default;
};

/// The check that came before training in the dream.
struct FreeRunningResult {
  std::size_t n = 0;  ///< tasks
  MeasuredShare dreamed_success;
  std::optional<MeasuredShare> real_success;         ///< nothing without a real world
  std::optional<MeasuredShare> gap;                  ///< dreamed - real
  std::optional<double> confirmed_share;             ///< of dreamed successes, by a rule check
  std::optional<double> contradictions_per_episode;  ///< with what the episode showed earlier
  double max_gap = 0.15;
  bool passed = false;
  bool forced = false;  ///< training went on although it failed
  std::string verdict;  ///< one line: why, and what to do
  bool operator==(const FreeRunningResult&) const = default;
};

/// Something a guard noticed.
struct Alarm {
  std::string phase;
  std::uint64_t step = 0;
  std::string name;  ///< e.g. "entropy_collapse"
  std::string text;
  bool operator==(const Alarm&) const = default;
};

struct RunResults {
  std::string world;    ///< "none" = there was no engine
  std::string summary;  ///< one or two sentences for the top of the report; may be empty
  std::vector<ArmResult> arms;
  std::vector<PairedResult> paired;
  std::vector<FidelityResult> fidelity;
  std::optional<FreeRunningResult> free_running;
  std::vector<Alarm> alarms;
  std::vector<std::string> notes;  ///< what a reader must know, e.g. "no real evaluation"
  bool operator==(const RunResults&) const = default;
};

/// The row as one JSON object on one line.
std::string to_json_line(const ArmResult& arm);
/// The whole file; invalid UTF-8 is replaced, numbers that are not finite become null.
std::string to_json(const RunResults& results);
/// Missing keys take their defaults; unknown ones are ignored; null numbers read as 0.
/// @throws Error kParse naming the key, kCorrupt if it is of another version.
RunResults results_from_json(std::string_view text);

void write_results(const Path& run_folder, const RunResults& results);
/// @throws Error as read_file and results_from_json, naming the file.
RunResults read_results(const Path& run_folder);

}  // namespace dreamgym
