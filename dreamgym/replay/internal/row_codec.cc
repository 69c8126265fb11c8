#include "dreamgym/replay/internal/row_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym::replay_internal {
namespace {

void append_field(std::string& bytes, std::string_view field) {
  bytes += fmt::format("{}:", field.size());
  bytes += field;
}

std::uint32_t row_checksum(const StoredTransition& record, const EncodedRecord& encoded) {
  const Transition& transition = record.transition;
  std::string bytes;
  bytes.reserve(2048);
  for (const std::string_view field : {std::string_view(encoded.id),
                                       provenance_name(record.provenance),
                                       std::string_view(record.world),
                                       std::string_view(record.split),
                                       std::string_view(record.instruction),
                                       std::string_view(record.episode_id),
                                       std::string_view(record.policy_version),
                                       std::string_view(record.simulator_version),
                                       std::string_view(transition.observation.text),
                                       std::string_view(encoded.admissible),
                                       std::string_view(transition.action),
                                       std::string_view(transition.next_observation.text),
                                       std::string_view(encoded.next_admissible),
                                       std::string_view(transition.reasoning_trace),
                                       std::string_view(encoded.demonstrations),
                                       std::string_view(transition.thought),
                                       std::string_view(encoded.info)}) {
    append_field(bytes, field);
  }
  bytes += fmt::format(
      "{} {:d}{:d}{:d} {:x} {:x}",
      record.step_index,
      transition.action_valid,
      transition.terminated,
      transition.truncated,
      std::bit_cast<std::uint64_t>(transition.reward + 0.0),  // SQLite drops the sign of 0
      transition.confidence ? std::bit_cast<std::uint64_t>(*transition.confidence + 0.0)
                            : ~std::uint64_t{0});
  return checksum(bytes);
}

}  // namespace

std::string list_to_text(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& item : list) {
    for (const char c : item) {
      if (c == '\\') {
        text += "\\\\";
      } else if (c == '\n') {
        text += "\\n";
      } else {
        text += c;
      }
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> list_from_text(std::string_view text) {
  std::vector<std::string> list;
  std::string item;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      list.push_back(std::move(item));
      item.clear();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      item += text[i] == 'n' ? '\n' : text[i];
    } else {
      item += text[i];
    }
  }
  return list;
}

std::string map_to_text(const std::map<std::string, std::string>& map) {
  std::vector<std::string> list;
  for (const auto& [key, value] : map) {
    list.push_back(key);
    list.push_back(value);
  }
  return list_to_text(list);
}

std::map<std::string, std::string> map_from_text(std::string_view text) {
  const auto list = list_from_text(text);
  std::map<std::string, std::string> map;
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    map[list[i]] = list[i + 1];
  }
  return map;
}

EncodedRecord::EncodedRecord(const StoredTransition& record)
    : id(record.id),
      admissible(list_to_text(record.transition.observation.admissible)),
      next_admissible(list_to_text(record.transition.next_observation.admissible)),
      demonstrations(list_to_text(record.transition.demonstrations)),
      info(map_to_text(record.transition.info)) {
  checksum = row_checksum(record, *this);
}

void bind_record(Statement& statement,
                 const StoredTransition& record,
                 const EncodedRecord& encoded) {
  const Transition& transition = record.transition;
  int column = 0;
  const auto text = [&](std::string_view value) { statement.bind(++column, value); };
  const auto integer = [&](std::int64_t value) { statement.bind(++column, value); };
  text(encoded.id);
  text(provenance_name(record.provenance));
  text(record.world);
  text(record.split);
  text(record.instruction);
  text(record.episode_id);
  integer(static_cast<std::int64_t>(record.step_index));
  text(record.policy_version);
  text(record.simulator_version);
  text(transition.observation.text);
  text(encoded.admissible);
  text(transition.action);
  integer(transition.action_valid ? 1 : 0);
  statement.bind(++column, transition.reward);
  text(transition.next_observation.text);
  text(encoded.next_admissible);
  integer(transition.terminated ? 1 : 0);
  integer(transition.truncated ? 1 : 0);
  text(transition.reasoning_trace);
  text(encoded.demonstrations);
  if (transition.confidence) {
    statement.bind(++column, *transition.confidence);
  } else {
    statement.bind_null(++column);
  }
  text(transition.thought);
  text(encoded.info);
  integer(static_cast<std::int64_t>(encoded.checksum));
  check(column == kNumRecordColumns, "every column of a record is bound");
}

StoredTransition read_record(const Statement& statement, int first_column, std::string_view where) {
  StoredTransition record;
  Transition& transition = record.transition;
  int column = first_column;
  const auto text = [&] { return statement.text(column++); };
  const auto integer = [&] { return statement.integer(column++); };
  record.id = text();
  record.provenance = text() == "real" ? Provenance::kReal : Provenance::kDreamed;
  record.world = text();
  record.split = text();
  record.instruction = text();
  record.episode_id = text();
  record.step_index = static_cast<std::size_t>(integer());
  record.policy_version = text();
  record.simulator_version = text();
  transition.observation.text = text();
  transition.observation.admissible = list_from_text(text());
  transition.action = text();
  transition.action_valid = integer() != 0;
  transition.reward = statement.number(column++);
  transition.next_observation.text = text();
  transition.next_observation.admissible = list_from_text(text());
  transition.terminated = integer() != 0;
  transition.truncated = integer() != 0;
  transition.reasoning_trace = text();
  transition.demonstrations = list_from_text(text());
  if (!statement.null(column)) {
    transition.confidence = statement.number(column);
  }
  ++column;
  transition.thought = text();
  transition.info = map_from_text(text());
  const auto stored = static_cast<std::uint32_t>(integer());
  const std::uint32_t computed = EncodedRecord(record).checksum;
  if (stored != computed) {
    throw Error(
        ErrorKind::kCorrupt,
        fmt::format("{}: checksum is {:08x}, its contents give {:08x}", where, stored, computed),
        "the file was damaged; `dreamgym index recover FILE --out NEW` saves what can be read and says what is lost");
  }
  return record;
}

}  // namespace dreamgym::replay_internal
