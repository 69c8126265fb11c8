// Methods against published figures over several seeds, as values: one page and one table.
//
// Shares are in [0, 1] here; the pages print percent. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/report/results.h"

namespace dreamgym {

struct GridRow {
  std::string method;  ///< e.g. "GRPO, DreamGym"
  /// [backbones] success as published, in [0, 1]; empty where the paper has no such row.
  std::vector<double> published;
  std::string published_real;   ///< real transitions as published, e.g. "80K"; "" likewise
  std::vector<double> seeds;    ///< success of each seed; empty = not run yet
  Interval success;             ///< mean with the interval over seeds, or of the only seed's tasks
  std::size_t num_tasks = 0;    ///< of each seed
  // Means over the seeds.
  double offline_steps = 0;     ///< logged real transitions it learnt from
  double online_steps = 0;      ///< real steps taken while training
  double dreamed_steps = 0;
  double tokens = 0;            ///< computed or sampled while training
  double seconds = 0;           ///< of training, everything it builds on included
  double rollout_seconds = 0;   ///< of these, in its own stages: environment and decisions
  double update_seconds = 0;    ///< likewise: gradients and optimisers
  std::uint64_t peak_bytes = 0; ///< largest of all seeds
};

/// a minus b on the same tasks.
struct GridPair {
  std::string a;  ///< methods
  std::string b;
  std::vector<double> seeds;          ///< difference of each seed
  std::optional<Interval> over_seeds; ///< t interval of their mean; from two seeds on
  Interval pooled;                    ///< over the tasks of all seeds
  double p_value = 1;                 ///< exact sign test over the tasks of all seeds
};

/// How success went while a method trained (Fig. 3, left): its own rollouts, on training tasks.
struct GridCurve {
  struct Point {
    double seconds = 0;       ///< wall time, everything it builds on included
    double online_steps = 0;  ///< real steps taken so far
    double success = 0;       ///< of the iteration's rollouts, smoothed
  };
  std::string method;
  bool dreamed = false;       ///< success by the word of the dream
  std::vector<Point> points;  ///< of one seed, an iteration each
};

/// Success in another world than that of training (Fig. 3, middle).
struct GridTransfer {
  std::string policy;
  std::vector<double> seeds{};
  Interval success{};
  std::size_t num_tasks = 0;
  double mean_return = 0;  ///< mean over the seeds
};

struct Grid {
  std::string title;
  std::string command;                 ///< that made it
  std::string our_backbone;            ///< e.g. "own model, 1.0M parameters"
  std::vector<std::string> backbones;  ///< of the published figures
  std::size_t num_seeds = 0;
  std::vector<GridRow> rows;
  std::vector<GridPair> pairs;
  std::vector<GridCurve> curves;
  std::string transfer_world;          ///< "" = no transfer was measured
  std::vector<GridTransfer> transfers;
  std::vector<std::string> notes;
};

std::string grid_markdown(const Grid& grid);

/// One page that opens from disk and loads nothing: the tables, and bars with intervals.
std::string grid_html(const Grid& grid);

}  // namespace dreamgym
