// What a run found out, as plain values: results.json of the run folder (docs/formats/run_folder.md).
//
// Written by whoever measured, read by the report. Shares and rates are in [0, 1].
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"

namespace dreamgym {

struct Interval {
  double value = 0;
  double low = 0;   ///< 95%
  double high = 0;
};

/// One row of the comparison table.
struct ArmResult {
  std::string arm;             ///< machine name, e.g. "dream"
  std::string title;           ///< as shown, e.g. "DreamGym (0 further real steps)"
  Interval success;            ///< real success on the held-out panel
  std::size_t num_tasks = 0;
  std::map<std::string, Interval> by_type;
  std::uint64_t offline_steps = 0;    ///< logged real transitions this arm learnt from
  std::uint64_t real_steps = 0;       ///< online real steps
  std::uint64_t dreamed_steps = 0;
  std::uint64_t tokens = 0;
  double seconds = 0;                 ///< of training
  std::string note;
};

/// a minus b on the same tasks.
struct PairedResult {
  std::string a;
  std::string b;
  Interval difference;
  std::size_t num_tasks = 0;
};

struct CheckResult {
  std::size_t num_tasks = 0;
  Interval dreamed_success;
  std::optional<Interval> real_success;
  std::optional<Interval> gap;
  std::optional<double> confirmed_share;
  std::optional<double> contradictions_per_episode;
  bool passed = false;
  std::string verdict;
};

struct RunResults {
  std::string world;
  std::uint64_t seed = 0;
  bool real_evaluation = true;        ///< false = no engine: nothing was checked against reality
  std::vector<ArmResult> arms;
  std::vector<PairedResult> paired;
  std::optional<CheckResult> check;   ///< before training in the dream
  std::map<std::string, double> fidelity;  ///< measures of the experience model by name
  std::vector<std::string> fidelity_misses;  ///< a few wrong predictions
  std::vector<std::string> notes;     ///< guards that triggered, deviations, warnings
};

std::string to_json(const RunResults& results);
/// @throws Error kCorrupt naming what is missing.
RunResults results_from_json(const std::string& text);

void write_results(const Path& run_folder, const RunResults& results);
/// Nothing if the run has none yet.
std::optional<RunResults> read_results(const Path& run_folder);

}  // namespace dreamgym
