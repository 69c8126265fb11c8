// A record as a row of the experience store, column by column.
//
// Thread safety: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/replay/internal/sqlite.h"
#include "dreamgym/replay/record.h"

namespace dreamgym::replay_internal {

/// The columns of one record, in the order bind_record and read_record use.
inline constexpr std::string_view kRecordColumns =
    "id, provenance, world, split, instruction, episode_id, step_index, policy_version, "
    "simulator_version, observation, admissible, action, action_valid, reward, next_observation, "
    "next_admissible, terminated, truncated, reasoning_trace, demonstrations, confidence, thought, "
    "info, checksum";
inline constexpr int kNumRecordColumns = 24;

/// A list as text: each item ends with a newline; backslash and newline inside are "\\" and "\n".
std::string list_to_text(const std::vector<std::string>& list);
std::vector<std::string> list_from_text(std::string_view text);
/// A map as such a list of key, value, key, value.
std::string map_to_text(const std::map<std::string, std::string>& map);
std::map<std::string, std::string> map_from_text(std::string_view text);

/// A record's texts as stored. They must live until the statement has stepped.
struct EncodedRecord {
  explicit EncodedRecord(const StoredTransition& record);
  std::string id;
  std::string admissible;
  std::string next_admissible;
  std::string demonstrations;
  std::string info;
  std::uint32_t checksum = 0;  ///< over all columns before it
};

/// Binds the record's columns to parameters 1 to kNumRecordColumns.
void bind_record(Statement& statement,
                 const StoredTransition& record,
                 const EncodedRecord& encoded);
/// Reads columns first_column.. ; other_episode_id is left empty.
/// @throws Error kCorrupt if the checksum does not fit; `where` names the row.
StoredTransition read_record(const Statement& statement, int first_column, std::string_view where);

}  // namespace dreamgym::replay_internal
