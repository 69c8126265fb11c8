// People's logs become trajectories (docs/formats/trajectory.md says how, format by format).
//
// In the dialogue formats the environment is the human (user, tool) side and the agent the
// assistant side: an assistant turn is an action, with its thought where the text has one; the next
// human or tool turn is the observation it led to. Files are JSONL or one JSON list; a list is held
// in memory whole. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dreamgym/data/types.h"

namespace dreamgym {

enum class LogFormat {
  kCanonical,    ///< our own, data/trajectory_json.h
  kMessages,     ///< {"messages":[{"role","content","tool_calls"}]}
  kShareGpt,     ///< {"conversations":[{"from":"human|gpt","value"}]}
  kAgentGym,     ///< the same with "loss": null (environment), false (dummy reply), true (action)
  kAlfworldLog,  ///< {"env","task","game","steps":[{"state","action","next_state","reward","done"}]}
  kWebshopLog,   ///< {"env","task","goal_index" or "goal","steps":[... as above]}
  kWebshopHuman,  ///< a file a session, a line a page view: {"page","url","goal","content","reward"}
};

/// "canonical", "messages", "sharegpt", "agentgym", "alfworld-log", "webshop-log",
/// "webshop-human".
std::string_view log_format_name(LogFormat format);
/// @throws Error kInvalidArgument naming all of them and the nearest.
LogFormat log_format_from_name(std::string_view name);

struct ImportOptions {
  bool skip_bad = false;  ///< leave broken records out instead of stopping at the first
  std::string world{};    ///< "" = as the record says ("world", "env"), else "none"
  std::string split{};    ///< "" = as the record says, else "train"
  /// Of episodes whose record says nothing of how they ended ("success", "reward", "score").
  /// Published dialogues are mostly demonstrations, hence true.
  bool success_by_default = true;
  /// If set, such an episode succeeded exactly if its last observation holds this text.
  std::string success_marker{};
};

struct ImportReport {
  std::size_t files = 0;
  std::size_t records = 0;  ///< lines or list items, the bad ones included
  std::size_t bad_records = 0;
  std::string first_error{};  ///< "" if none; begins with "path:line: "
  std::size_t episodes = 0;
  std::size_t transitions = 0;
  std::size_t unknown_outcomes = 0;  ///< decided by success_marker or success_by_default
};

/// Reads the files in order and hands each trajectory to the sink. Episode ids are made unique.
/// @throws Error kParse with path and line (unless skip_bad); kParse if a file holds no good
/// record.
ImportReport import_trajectories(LogFormat format,
                                 std::span<const std::filesystem::path> files,
                                 const ImportOptions& options,
                                 const std::function<void(Trajectory)>& sink);

}  // namespace dreamgym
