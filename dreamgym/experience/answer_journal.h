// What a language model answered to questions that are expensive to ask twice: a file that a second run goes on from.
//
// One JSON object a line: {"version", "key", ...}, written in the order the answers came. A line that holds an
// answer under the journal's field answers its key's question; others (refusals) are there for people only.
// Thread safety: none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/chat_model.h"

namespace dreamgym {

class AnswerJournal {
 public:
  /// @param file    created if it is not there; "" = nothing is known and nothing kept.
  /// @param field   that holds an answer, e.g. "annotation".
  /// @param kind    what the file is, for messages, e.g. "an annotation journal".
  /// @throws Error  kCorrupt naming the line that is none of this journal's version.
  AnswerJournal(const Path& file, std::string field, int version, std::string_view kind);

  /// The answer to the question of that key, if it was written down. Lives as long as the journal.
  [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
  /// Writes a line; version and key are added.
  void write(const std::string& key, nlohmann::json line);
  void sync();

 private:
  std::string field_;
  int version_;
  std::map<std::string, nlohmann::json> answers_;
  std::optional<LineWriter> lines_;
};

/// Names a question to a model: 16 hexadecimal digits over who is asked and every message.
std::string question_key(const ChatModel& model, const ChatPrompt& prompt);

}  // namespace dreamgym
