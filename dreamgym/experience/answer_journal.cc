#include "dreamgym/experience/answer_journal.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

using Json = nlohmann::json;

AnswerJournal::AnswerJournal(const Path& file, std::string field, int version, std::string_view kind)
    : field_(std::move(field)), version_(version) {
  if (file.empty()) {
    return;
  }
  if (std::filesystem::exists(file)) {
    for_each_line(file, [&](std::size_t number, std::string_view text) {
      const Json line = Json::parse(text, nullptr, false);
      if (!line.is_object() || line.value("version", 0) != version_ || !line.contains("key") ||
          !line["key"].is_string()) {
        throw Error(ErrorKind::kCorrupt,
                    fmt::format("{}:{}: is no line of {}", file.string(), number, kind),
                    "name another file, or remove this one and ask again");
      }
      if (line.contains(field_)) {
        answers_[line["key"].get<std::string>()] = line[field_];
      }
      return true;
    });
  }
  lines_.emplace(file);
}

const Json* AnswerJournal::find(const std::string& key) const {
  const auto known = answers_.find(key);
  return known == answers_.end() ? nullptr : &known->second;
}

void AnswerJournal::write(const std::string& key, Json line) {
  if (lines_) {
    line["version"] = version_;
    line["key"] = key;
    lines_->write_line(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

void AnswerJournal::sync() {
  if (lines_) {
    lines_->sync();
  }
}

std::string question_key(const ChatModel& model, const ChatPrompt& prompt) {
  std::string text = model.version();
  for (const ChatMessage& message : prompt.messages) {
    text += '\0' + message.role + '\0' + message.content;
  }
  return to_hex(hash_text(text));
}

}  // namespace dreamgym
