#include "dreamgym/replay/salvage.h"

#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/replay/experience_store.h"
#include "dreamgym/replay/internal/row_codec.h"
#include "dreamgym/replay/internal/sqlite.h"

namespace dreamgym {
namespace {

using replay_internal::Database;
using replay_internal::Statement;

constexpr std::size_t kBatch = 1000;
// A gap is stepped over in leaps that double; beyond this many rows nothing is expected any more.
constexpr std::int64_t kWidestGap = 1LL << 24;

// Walks the live rows of a damaged table in their order.
class Walk {
 public:
  Walk(const Database& database, Salvage& found) : database_(database), found_(found) {}

  /// The next readable records, at most kBatch; empty at the end.
  std::vector<StoredTransition> next() {
    std::vector<StoredTransition> records;
    std::int64_t leap = 1;
    while (records.size() < kBatch && leap <= kWidestGap) {
      const std::int64_t before = last_;
      const bool whole = read_on(records);
      if (whole) {
        break;
      }
      ++found_.unreadable;
      leap = last_ > before ? 1 : leap * 2;
      last_ += leap;
    }
    return records;
  }

 private:
  // Up to a full batch, the end of the table (true), or a place that can't be read (false).
  bool read_on(std::vector<StoredTransition>& records) {
    try {
      Statement rows(database_,
                     fmt::format("SELECT sequence, {} FROM transitions WHERE sequence > {} AND died IS NULL "
                                 "ORDER BY sequence",
                                 replay_internal::kRecordColumns,
                                 last_));
      while (records.size() < kBatch && rows.step()) {
        last_ = rows.integer(0);
        take(rows, records);
      }
      return true;
    } catch (const Error& error) {
      note(error);
      return false;
    }
  }

  void take(const Statement& row, std::vector<StoredTransition>& records) {
    try {
      records.push_back(
          replay_internal::read_record(row, 1, fmt::format("{}: row {}", database_.name(), row.integer(0))));
    } catch (const Error& error) {
      note(error);
      ++found_.bad_rows;
    }
  }

  void note(const Error& error) {
    if (found_.first_problem.empty()) {
      // Without the hint, which says to do what is being done.
      const std::string_view problem = error.what();
      found_.first_problem = problem.substr(0, problem.find('\n'));
    }
  }

  const Database& database_;
  Salvage& found_;
  std::int64_t last_ = 0;  // sequences begin at 1
};

}  // namespace

Salvage salvage_store(const std::filesystem::path& damaged, const std::filesystem::path& target) {
  if (!std::filesystem::exists(damaged)) {
    throw Error(ErrorKind::kNotFound, fmt::format("{}: no such file", damaged.string()));
  }
  if (std::filesystem::exists(target)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} is there already", target.string()),
                "name a new file for what can be saved");
  }
  Salvage found;
  const Database database(damaged);
  Walk walk(database, found);
  ExperienceStore store(target, {.dreamed_capacity = std::numeric_limits<std::uint32_t>::max()});
  for (auto records = walk.next(); !records.empty(); records = walk.next()) {
    (void)store.add(records);
  }
  found.kept = store.size();
  return found;
}

}  // namespace dreamgym
