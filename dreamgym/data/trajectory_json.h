// Trajectories as canonical JSONL (docs/formats/trajectory.md), version 1.
//
// One JSON object a line: {"version":1,"episode_id","world","task":{"id","text","split","source",
// "parent_task","seed","settings":{}},"seed","policy_version",
// "simulator":{"version"}|null,"provenance":"real|dreamed","steps":[{"t","state_text","admissible":[],
// "action_text","action_valid","reward","next_state_text","next_admissible":[],"terminated",
// "truncated","reason_trace","demos":[],"confidence","thought","info":{}}],
// "outcome":{"kind","success","score"}}. Unknown keys are ignored; missing ones take defaults
// except "steps" and each step's "action_text" (a missing next state is the next step's state, a
// missing score the sum of the rewards). parse(render(x)) == x for valid UTF-8; bytes that are not
// become U+FFFD. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym {

/// One line, without the newline.
std::string to_json_line(const Trajectory& trajectory);
/// @throws Error kParse naming the key, what was expected and what was there; kUnsupported for
/// another version.
Trajectory trajectory_from_json(std::string_view line);

struct ReadOptions {
  bool skip_bad = false;  ///< leave broken lines out instead of stopping at the first
};

struct ReadReport {
  std::size_t lines = 0;
  std::size_t bad_lines = 0;
  std::string first_error;  ///< "" if none; names the line
};

/// Reads a canonical file.
/// @throws Error kParse with path and line number (unless skip_bad); kParse if it holds no
/// trajectory.
std::vector<Trajectory> read_trajectories(const std::filesystem::path& path,
                                          const ReadOptions& options = {},
                                          ReadReport* report = nullptr);
/// Writes all of them or nothing.
void write_trajectories(const std::filesystem::path& path,
                        const std::vector<Trajectory>& trajectories);

}  // namespace dreamgym
