// A run folder as one HTML page that opens from disk, with no network.
//
// Charts, styles, code and data are all in the page (Chart.js is inlined). Texts of episodes are
// data, never markup: whatever a model or a log wrote is shown as characters.
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dreamgym/base/file.h"
#include "dreamgym/report/run_folder.h"

namespace dreamgym {

/// A retrieved transition as the episode browser shows it.
struct ShownDemonstration {
  std::string observation;
  std::string action;
  std::string next_observation;
  double reward = 0;
  Provenance provenance = Provenance::kReal;
  std::string episode_id;
};

struct ReportOptions {
  ReadRunOptions read;
  std::size_t max_points = 1500;      ///< of one curve; longer ones are thinned evenly
  std::size_t max_text_bytes = 4000;  ///< of one text of an episode
  std::size_t max_list_items = 80;    ///< admissible actions shown a step
  /// Finds what was retrieved by its id (report knows no store); may be empty: then ids are shown.
  std::function<std::optional<ShownDemonstration>(std::string_view id)> find_demonstration;
};

/// The page.
std::string render_report(const RunContents& contents, const ReportOptions& options = {});

/// Writes `report.html` into the run folder, whole or not at all. The same folder gives the same
/// bytes.
/// @throws Error kNotFound if there is no such folder, kIo if it can't be written.
void write_report(const Path& run_folder, const ReportOptions& options = {});

}  // namespace dreamgym
