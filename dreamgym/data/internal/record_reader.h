// The records of a log file: one JSON value a line (JSONL), or the items of one JSON list.
//
// A file whose first character that is no blank is '[' is a list. Lists are held in memory whole,
// JSONL is not. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dreamgym::internal {

struct Record {
  std::size_t line = 0;   ///< where it begins, from 1
  std::size_t index = 0;  ///< among the file's records, from 0
  std::string_view text;  ///< its JSON
};

struct RecordCounts {
  std::size_t records = 0;  ///< all of them, the bad ones included
  std::size_t bad_records = 0;
  std::string first_error;  ///< "" if none; begins with "path:line: "
};

/// Calls convert and then deliver for each record in order. An Error of convert is the record's: it
/// gets "path:line: " put before it, or is counted. An Error of deliver (a full disk) passes.
/// @param skip_bad  count a record that convert refuses, and go on.
/// @throws Error kParse if the file holds no record, or none that is good.
RecordCounts for_each_record(const std::filesystem::path& path,
                             bool skip_bad,
                             const std::function<void(const Record&)>& convert,
                             const std::function<void(const Record&)>& deliver);

}  // namespace dreamgym::internal
