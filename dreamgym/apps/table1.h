// The paper's Table 1 and Fig. 3 on this machine: which arms its methods are, what the paper printed,
// and the grid made from finished runs, a run folder a seed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/report/grid.h"

namespace dreamgym {

/// Worlds the table has a column for: alfworld, webshop.
const std::vector<std::string>& table1_worlds();

/// tiny (seconds, to see that everything runs), small (the quickstart's sizes), paper (its numbers of
/// real transitions).
const std::vector<std::string>& table1_scales();

/// Settings of a scale as "section.key=value", the arms of the grid included.
/// @throws Error kConfig for another scale, naming the known ones.
std::vector<std::string> table1_settings(const std::string& scale);

struct Table1Request {
  std::string world;
  std::string scale;
  std::string command;                ///< as typed, for the page
  std::vector<Path> seed_folders;     ///< runs, some of their stages done
  std::string transfer_world;         ///< whose transfer stages they hold; "" = none
};

/// @throws Error kConfig for another world.
Grid table1_grid(const Table1Request& request);

}  // namespace dreamgym
