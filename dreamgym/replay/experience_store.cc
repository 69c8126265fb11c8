#include "dreamgym/replay/experience_store.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/replay/internal/row_codec.h"
#include "dreamgym/replay/internal/sqlite.h"

namespace dreamgym {
namespace {

using replay_internal::Database;
using replay_internal::EncodedRecord;
using replay_internal::Statement;
using replay_internal::Transaction;

constexpr std::int64_t kApplicationId = 0x44476578;  // "DGex"
constexpr std::int64_t kSchemaVersion = 1;

// born, died and other_since are the numbers of the add() that did it.
constexpr const char* kSchema = R"sql(CREATE TABLE transitions (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL, provenance TEXT NOT NULL, world TEXT NOT NULL, split TEXT NOT NULL,
  instruction TEXT NOT NULL, episode_id TEXT NOT NULL, step_index INTEGER NOT NULL,
  policy_version TEXT NOT NULL, simulator_version TEXT NOT NULL, observation TEXT NOT NULL,
  admissible TEXT NOT NULL, action TEXT NOT NULL, action_valid INTEGER NOT NULL,
  reward REAL NOT NULL, next_observation TEXT NOT NULL, next_admissible TEXT NOT NULL,
  terminated INTEGER NOT NULL, truncated INTEGER NOT NULL, reasoning_trace TEXT NOT NULL,
  demonstrations TEXT NOT NULL, confidence REAL, thought TEXT NOT NULL, info TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  born INTEGER NOT NULL, died INTEGER, other_episode_id TEXT, other_since INTEGER);
CREATE UNIQUE INDEX live_content ON transitions (id) WHERE died IS NULL;
CREATE INDEX live_dreamed ON transitions (sequence) WHERE died IS NULL AND provenance = 'dreamed';
CREATE INDEX dead ON transitions (died) WHERE died IS NOT NULL;
CREATE TABLE history (batch INTEGER NOT NULL, forgotten INTEGER NOT NULL);
INSERT INTO history VALUES (0, 0);)sql";

void check_finite(const StoredTransition& record) {
  const auto& transition = record.transition;
  if (!std::isfinite(transition.reward) ||
      (transition.confidence && !std::isfinite(*transition.confidence))) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("experience store: step {} of episode \"{}\" has reward {} and "
                            "confidence {}, expected finite numbers",
                            record.step_index,
                            record.episode_id,
                            transition.reward,
                            transition.confidence.value_or(0)));
  }
}

void open_schema(Database& database) {
  database.execute("PRAGMA journal_mode = WAL");
  database.execute("PRAGMA synchronous = NORMAL");
  if (database.query_integer("PRAGMA user_version") == 0) {
    Transaction transaction(database);
    // Another process may have made it while we waited for the lock.
    if (database.query_integer("PRAGMA user_version") == 0) {
      if (database.query_integer("SELECT count(*) FROM sqlite_master") != 0) {
        throw Error(ErrorKind::kCorrupt,
                    database.name() + ": is a SQLite database but no experience store",
                    "name another file");
      }
      database.execute(kSchema);
      database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
      database.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    }
    transaction.commit();
  }
  const std::int64_t application = database.query_integer("PRAGMA application_id");
  if (application != kApplicationId) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: is no experience store (SQLite application id {}, expected {})",
                            database.name(),
                            application,
                            kApplicationId),
                "name another file");
  }
  const std::int64_t version = database.query_integer("PRAGMA user_version");
  if (version != kSchemaVersion) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: is an experience store of version {}, expected {}",
                            database.name(),
                            version,
                            kSchemaVersion),
                "use the program that wrote it, or start a new run folder");
  }
}

std::string columns_with_other() {
  return fmt::format("SELECT sequence, ifnull(other_episode_id, ''), {} FROM transitions ",
                     replay_internal::kRecordColumns);
}

StoredTransition read_row(const Database& database, const Statement& row) {
  StoredTransition record = replay_internal::read_record(
      row, 2, fmt::format("{}: row {}", database.name(), row.integer(0)));
  record.other_episode_id = row.text(1);
  return record;
}

std::string insert_sql() {
  std::string parameters;
  for (int i = 1; i <= replay_internal::kNumRecordColumns + 1; ++i) {
    parameters += i == 1 ? "?" : ", ?";
  }
  return fmt::format("INSERT INTO transitions ({}, born) VALUES ({})",
                     replay_internal::kRecordColumns,
                     parameters);
}

}  // namespace

struct ExperienceStore::Impl {
  Impl(const std::filesystem::path& file, Options store_options)
      : options(store_options), database(file) {
    open_schema(database);
    find_live.emplace(database,
                      "SELECT sequence, provenance, episode_id, ifnull(other_episode_id, '') FROM "
                      "transitions WHERE id = ? AND died IS NULL");
    insert.emplace(database, insert_sql());
    note_other.emplace(
        database,
        "UPDATE transitions SET other_episode_id = ?, other_since = ? WHERE sequence = ?");
    kill.emplace(database, "UPDATE transitions SET died = ? WHERE sequence = ?");
  }

  AddResult add_one(StoredTransition record, std::int64_t batch, std::vector<Sequence>& removed);
  void evict(std::int64_t batch, std::vector<Sequence>& removed);
  void remove(std::int64_t sequence, std::int64_t batch, std::vector<Sequence>& removed);
  std::int64_t num_dreamed() {
    return database.query_integer(
        "SELECT count(*) FROM transitions WHERE died IS NULL AND provenance = 'dreamed'");
  }

  Options options;
  Database database;
  // Built once the schema is there; they refer to `database`, which never moves.
  std::optional<Statement> find_live;
  std::optional<Statement> insert;
  std::optional<Statement> note_other;
  std::optional<Statement> kill;
};

ExperienceStore::AddResult ExperienceStore::Impl::add_one(StoredTransition record,
                                                          std::int64_t batch,
                                                          std::vector<Sequence>& removed) {
  record.id = content_id(record);
  find_live->reset();
  find_live->bind(1, record.id);
  AddResult result{AddOutcome::kAdded, 0};
  if (find_live->step()) {
    const std::int64_t known = find_live->integer(0);
    const bool known_real = find_live->text(1) == "real";
    const bool real = record.provenance == Provenance::kReal;
    const bool noted = find_live->text(2) == record.episode_id || !find_live->text(3).empty();
    find_live->reset();
    if (known_real || !real) {
      if (known_real != real || noted) {
        return {AddOutcome::kDuplicate, static_cast<Sequence>(known)};
      }
      note_other->reset();
      note_other->bind(1, record.episode_id).bind(2, batch).bind(3, known).step();
      return {AddOutcome::kOtherEpisode, static_cast<Sequence>(known)};
    }
    remove(known, batch, removed);
    result.outcome = AddOutcome::kReplaced;
  }
  const EncodedRecord encoded(record);
  insert->reset();
  replay_internal::bind_record(*insert, record, encoded);
  insert->bind(replay_internal::kNumRecordColumns + 1, batch).step();
  result.sequence = static_cast<Sequence>(database.last_row());
  return result;
}

void ExperienceStore::Impl::remove(std::int64_t sequence,
                                   std::int64_t batch,
                                   std::vector<Sequence>& removed) {
  kill->reset();
  kill->bind(1, batch).bind(2, sequence).step();
  removed.push_back(static_cast<Sequence>(sequence));
}

void ExperienceStore::Impl::evict(std::int64_t batch, std::vector<Sequence>& removed) {
  const std::int64_t surplus = num_dreamed() - static_cast<std::int64_t>(options.dreamed_capacity);
  if (surplus <= 0) {
    return;
  }
  std::vector<std::int64_t> oldest;
  const char* const first = options.eviction == Eviction::kOldest ? "sequence" : "id DESC";
  Statement select(database,
                   fmt::format("SELECT sequence FROM transitions WHERE died IS NULL AND provenance = "
                               "'dreamed' ORDER BY {} LIMIT ?",
                               first));
  select.bind(1, surplus);
  while (select.step()) {
    oldest.push_back(select.integer(0));
  }
  for (const std::int64_t sequence : oldest) {
    remove(sequence, batch, removed);
  }
}

ExperienceStore::ExperienceStore(const std::filesystem::path& file)
    : ExperienceStore(file, Options{}) {}

ExperienceStore::ExperienceStore(const std::filesystem::path& file, Options options)
    : impl_(std::make_unique<Impl>(file, options)) {}

ExperienceStore::~ExperienceStore() = default;
ExperienceStore::ExperienceStore(ExperienceStore&&) noexcept = default;
ExperienceStore& ExperienceStore::operator=(ExperienceStore&&) noexcept = default;

ExperienceStore::AddReport ExperienceStore::add(std::span<const StoredTransition> records) {
  for (const auto& record : records) {
    check_finite(record);
  }
  AddReport report;
  report.results.reserve(records.size());
  Transaction transaction(impl_->database);
  impl_->database.execute("UPDATE history SET batch = batch + 1");
  const std::int64_t batch = impl_->database.query_integer("SELECT batch FROM history");
  for (const auto& record : records) {
    report.results.push_back(impl_->add_one(record, batch, report.removed));
  }
  impl_->evict(batch, report.removed);
  transaction.commit();
  return report;
}

void ExperienceStore::for_each(
    const std::function<void(Sequence sequence, StoredTransition record)>& visit) const {
  Statement rows(impl_->database, columns_with_other() + "WHERE died IS NULL ORDER BY sequence");
  while (rows.step()) {
    visit(static_cast<Sequence>(rows.integer(0)), read_row(impl_->database, rows));
  }
}

std::vector<StoredTransition> ExperienceStore::load() const {
  std::vector<StoredTransition> records;
  for_each([&](Sequence, StoredTransition record) { records.push_back(std::move(record)); });
  return records;
}

std::optional<StoredTransition> ExperienceStore::find(std::string_view id) const {
  Statement rows(impl_->database,
                 columns_with_other() + "WHERE id = ? ORDER BY died IS NOT NULL LIMIT 1");
  rows.bind(1, id);
  if (!rows.step()) {
    return std::nullopt;
  }
  return read_row(impl_->database, rows);
}

std::size_t ExperienceStore::size() const {
  return static_cast<std::size_t>(
      impl_->database.query_integer("SELECT count(*) FROM transitions WHERE died IS NULL"));
}

std::size_t ExperienceStore::num_dreamed() const {
  return static_cast<std::size_t>(impl_->num_dreamed());
}

ExperienceStore::Mark ExperienceStore::mark() const {
  return static_cast<Mark>(impl_->database.query_integer("SELECT batch FROM history"));
}

void ExperienceStore::roll_back_to(Mark mark) {
  Database& database = impl_->database;
  Transaction transaction(database);
  const auto now = static_cast<Mark>(database.query_integer("SELECT batch FROM history"));
  const auto forgotten = static_cast<Mark>(database.query_integer("SELECT forgotten FROM history"));
  if (mark > now) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format(
            "{}: can't roll back to batch {}, it holds only {}", database.name(), mark, now),
        "the store and the checkpoint are of different runs");
  }
  if (mark < forgotten) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: can't roll back to batch {}, evictions up to batch {} are "
                            "forgotten",
                            database.name(),
                            mark,
                            forgotten),
                "resume from a later checkpoint");
  }
  // Later births go first: their content may be that of a row that comes back to life.
  database.execute(fmt::format("DELETE FROM transitions WHERE born > {}", mark));
  database.execute(fmt::format("UPDATE transitions SET died = NULL WHERE died > {}", mark));
  database.execute(fmt::format(
      "UPDATE transitions SET other_episode_id = NULL, other_since = NULL WHERE other_since > {}",
      mark));
  database.execute(fmt::format("UPDATE history SET batch = {}", mark));
  transaction.commit();
}

void ExperienceStore::forget_evicted(Mark mark) {
  Database& database = impl_->database;
  Transaction transaction(database);
  database.execute(fmt::format("DELETE FROM transitions WHERE died <= {}", mark));
  database.execute(fmt::format("UPDATE history SET forgotten = max(forgotten, {})", mark));
  transaction.commit();
}

void ExperienceStore::verify() const {
  const std::string verdict = impl_->database.query_text("PRAGMA integrity_check(1)");
  if (verdict != "ok") {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: {}", impl_->database.name(), verdict),
                "`dreamgym index recover FILE --out NEW` saves what can be read and says what is lost");
  }
  for_each([](Sequence, const StoredTransition&) {});
}

}  // namespace dreamgym
