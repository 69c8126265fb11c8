#include "dreamgym/replay/internal/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "dreamgym/base/error.h"

namespace dreamgym::replay_internal {
namespace {

constexpr int kBusyTimeoutMs = 10'000;

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
      return ErrorKind::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::kBusy;
    default:
      return ErrorKind::kIo;
  }
}

std::string hint_of(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "`dreamgym index recover FILE --out NEW` saves what can be read and says what is lost";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process is writing it; end that process or use another run folder";
    case SQLITE_FULL:
      return "free some disk space; nothing of this batch was kept";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "check that its folder exists and may be written";
    default:
      return "";
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(std::filesystem::path path)
    : name_(path.empty() ? "experience store in memory" : path.string()) {
  sqlite3* handle = nullptr;
  const std::string target = path.empty() ? ":memory:" : path.string();
  const int code =
      sqlite3_open_v2(target.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    fail(code, "opening");
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
}

void Database::fail(int code, std::string_view doing) const {
  const std::string reason =
      handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw Error(kind_of(code), fmt::format("{}: {} failed: {}", name_, doing, reason), hint_of(code));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail(code, fmt::format("\"{}\"", sql.substr(0, sql.find('\n'))));
  }
}

std::int64_t Database::query_integer(const std::string& sql) {
  Statement statement(*this, sql);
  check(statement.step(), "the query has one row");
  return statement.integer(0);
}

std::string Database::query_text(const std::string& sql) {
  Statement statement(*this, sql);
  check(statement.step(), "the query has one row");
  return statement.text(0);
}

std::int64_t Database::num_changes() const {
  return sqlite3_changes64(handle_.get());
}

std::int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(
      database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) {
    database.fail(code, "reading");
  }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  check(code == SQLITE_OK, "the parameter exists");
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  const int code = sqlite3_bind_double(statement_.get(), parameter, value);
  check(code == SQLITE_OK, "the parameter exists");
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // An empty view may have no address, which SQLite would store as NULL.
  const int code = sqlite3_bind_text64(statement_.get(),
                                       parameter,
                                       text.empty() ? "" : text.data(),
                                       text.size(),
                                       SQLITE_STATIC,
                                       SQLITE_UTF8);
  if (code != SQLITE_OK) {
    database_.fail(code, "writing a text");
  }
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  const int code = sqlite3_bind_null(statement_.get(), parameter);
  check(code == SQLITE_OK, "the parameter exists");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    database_.fail(code, "reading or writing");
  }
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) {
    // SQLite has rolled back by itself after some errors (disk full); then there is nothing to
    // undo.
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace dreamgym::replay_internal
