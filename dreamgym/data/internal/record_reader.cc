#include "dreamgym/data/internal/record_reader.h"

#include <fmt/format.h>

#include <optional>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym::internal {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Counts records, puts path and line before their errors, and skips them where that is wanted.
class Visitor {
 public:
  Visitor(const std::filesystem::path& path,
          bool skip_bad,
          const std::function<void(const Record&)>& convert,
          const std::function<void(const Record&)>& deliver)
      : path_(path), skip_bad_(skip_bad), convert_(convert), deliver_(deliver) {}

  void operator()(std::size_t line, std::string_view text) {
    const Record record{line, counts_.records++, text};
    try {
      convert_(record);
    } catch (const Error& error) {
      refuse(error.kind(), line, error.what());
      return;
    }
    deliver_(record);
  }

  /// What follows the last record can't be read.
  void refuse_rest(std::size_t line, std::string_view reason) {
    ++counts_.records;
    refuse(ErrorKind::kParse, line, reason);
  }

  RecordCounts finish() {
    if (counts_.records == 0) {
      throw Error(
          ErrorKind::kParse,
          fmt::format("{}: expected at least one record, got an empty file", path_.string()),
          "was the file written to the end? One JSON object a line is expected");
    }
    if (counts_.records == counts_.bad_records) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: none of its {} records is good; the first: {}",
                              path_.string(),
                              counts_.records,
                              counts_.first_error));
    }
    return counts_;
  }

 private:
  void refuse(ErrorKind kind, std::size_t line, std::string_view reason) {
    const std::string message = fmt::format("{}:{}: {}", path_.string(), line, reason);
    if (!skip_bad_) {
      // A file that is wrong from its first record on is of another format: its reader says so.
      const bool others_were_good = counts_.records > 1;
      throw Error(kind,
                  message,
                  others_were_good ? "mend it, or let `dreamgym import --skip-bad` leave such records out and count them"
                                   : "");
    }
    ++counts_.bad_records;
    if (counts_.first_error.empty()) {
      counts_.first_error = message;
    }
  }

  const std::filesystem::path& path_;
  bool skip_bad_;
  const std::function<void(const Record&)>& convert_;
  const std::function<void(const Record&)>& deliver_;
  RecordCounts counts_;
};

/// Cuts a list into its items without parsing them, so that one broken item spoils no other.
class ListScanner {
 public:
  explicit ListScanner(std::string_view text) : text_(text) {}

  void scan(Visitor& visit) {
    while (text_[at_] != '[') {
      advance();
    }
    advance();
    while (skip_blanks_and_commas(), at_ < text_.size() && text_[at_] != ']') {
      const std::size_t line = line_;
      const std::size_t begin = at_;
      skip_item();
      visit(line, trim(text_.substr(begin, at_ - begin)));
    }
    if (at_ >= text_.size()) {
      visit.refuse_rest(line_, "the list does not end: expected ']', got the end of the file");
    }
  }

 private:
  void advance() {
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }
  void skip_blanks_and_commas() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,").contains(text_[at_])) {
      advance();
    }
  }
  void skip_string() {
    for (advance(); at_ < text_.size() && text_[at_] != '"'; advance()) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        advance();
      }
    }
    if (at_ < text_.size()) {
      advance();
    }
  }
  /// To the ',' or ']' after the item.
  void skip_item() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ']')) {
        return;
      }
      if (c == '"') {
        skip_string();
        continue;
      }
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
      advance();
      if (depth < 0) {
        return;  // a stray '}': the parser will say so
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// First character that is no blank; nothing in an empty file.
std::optional<char> first_character(const std::filesystem::path& path) {
  std::optional<char> first;
  for_each_line(path, [&](std::size_t, std::string_view line) {
    consume_prefix(line, kByteOrderMark);
    const std::string_view text = trim(line);
    if (!text.empty()) {
      first = text.front();
    }
    return !first;
  });
  return first;
}

}  // namespace

RecordCounts for_each_record(const std::filesystem::path& path,
                             bool skip_bad,
                             const std::function<void(const Record&)>& convert,
                             const std::function<void(const Record&)>& deliver) {
  Visitor visitor(path, skip_bad, convert, deliver);
  if (first_character(path) == '[') {
    ListScanner(read_file(path)).scan(visitor);
    return visitor.finish();
  }
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    if (number == 1) {
      consume_prefix(line, kByteOrderMark);
    }
    if (!trim(line).empty()) {
      visitor(number, line);
    }
    return true;
  });
  return visitor.finish();
}

}  // namespace dreamgym::internal
