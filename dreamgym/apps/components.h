// The paper's ablations on this machine: what each component of the dream is worth (its Table 2 and Fig. 4), and how
// much data the experience model needs (Fig. 5).
//
// A cell is a whole run of one arm and one seed in a folder of its own, OUT/ARM/seed-N, so it continues where it
// stopped. Every arm has the same logs, demonstrations, start policy, iterations and evaluation panel; they differ
// in the dream only. Policies begin with the base model, as in the paper: with the experience model's weights an
// arm's start would depend on its dream.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/report/grid.h"

namespace dreamgym {

struct ComponentArm {
  std::string name;                    ///< of its folder, e.g. "no_replay"
  std::string title;                   ///< in the table
  std::vector<std::string> settings;   ///< "section.key=value", what is different
  std::vector<double> published;       ///< success in [0, 1], of component_backbones(); empty where the paper has none
  std::string published_real;          ///< samples of the experience model, of the sweep
};

/// Full, the four without a component, and the sweep of the data.
const std::vector<ComponentArm>& component_arms();

/// What the columns of the published figures are.
const std::vector<std::string>& component_backbones();

/// Settings of every arm at a scale of table1_scales(): what the full arm is run with.
/// @throws Error kConfig for an unknown scale.
std::vector<std::string> component_settings(const std::string& scale);

/// Folder of a cell.
Path component_cell(const Path& out, const std::string& arm, std::size_t seed);

struct ComponentsRequest {
  std::string world;
  std::string scale;
  std::string command;        ///< as typed, for the page
  Path out;
  std::size_t num_seeds = 0;  ///< cells of seeds 1 to this many are looked at, as far as they are there
};

Grid components_grid(const ComponentsRequest& request);

/// Markdown: what each arm's dream is like: fidelity, the free-running check, the judge's four criteria beside the
/// paper's Fig. 4. Means over the seeds that are there.
std::string components_dreams(const ComponentsRequest& request);

}  // namespace dreamgym
