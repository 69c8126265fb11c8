// Trajectories in other people's formats, as the importers read them.
//
// A step's observation is taken to be what the step before led to; reward and success are written
// once, for the episode. What import reads back is equal but for rewards before the last step,
// admissible actions, traces and info, and blanks at the ends of actions and thoughts.
// Thread safety: reentrant.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dreamgym/data/import.h"

namespace dreamgym {

/// One record as JSON on one line.
/// @throws Error kUnsupported for kAlfworldLog.
std::string export_record(LogFormat format, const Trajectory& trajectory);

/// Writes all of them or nothing: JSONL (canonical, messages) or one JSON list with a record a line
/// (sharegpt, agentgym), as their readers expect.
void export_trajectories(LogFormat format,
                         const std::filesystem::path& path,
                         const std::vector<Trajectory>& trajectories);

}  // namespace dreamgym
