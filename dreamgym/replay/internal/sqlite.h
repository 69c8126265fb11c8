// SQLite with errors that say which file, what failed and what to do.
//
// Thread safety: one thread per object. Lifetime: a Statement must not outlive its Database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dreamgym::replay_internal {

class Database {
 public:
  /// Opens (creating it) for reading and writing; waits up to 10 s for another writer.
  /// @param path  "" = in memory.
  explicit Database(std::filesystem::path path);

  void execute(const std::string& sql);
  std::int64_t query_integer(const std::string& sql);
  std::string query_text(const std::string& sql);
  [[nodiscard]] std::int64_t num_changes() const;  ///< rows changed by the last statement
  [[nodiscard]] std::int64_t last_row() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  /// Throws the Error for a SQLite result code.
  [[noreturn]] void fail(int code, std::string_view doing) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement; parameters are numbered from 1, columns from 0.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  /// The bytes must live until the next step.
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_null(int parameter);
  /// True if there is a row to read.
  bool step();
  /// Ready to be bound and stepped anew.
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A write transaction, undone unless commit() was reached.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace dreamgym::replay_internal
