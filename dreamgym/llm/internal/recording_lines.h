// The lines of a model recording (docs/formats/model_recording.md).
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// First line: what every other line relies on.
struct RecordingHeader {
  std::size_t vocabulary_size = 0;
  std::size_t max_context_tokens = 0;
  std::string version;  ///< of the model when the recording began
};

struct RecordingLine {
  std::string key;
  std::string version;
  GenerationReply reply;
};

std::string write_header(const RecordingHeader& header);
std::string write_line(const GenerationRequest& request,
                       const GenerationReply& reply,
                       const LanguageModel& model);

/// @param where  file and line, for messages. @throws Error kCorrupt.
RecordingHeader read_header(std::string_view line, const std::string& where);
RecordingLine read_line(std::string_view line, const std::string& where);

/// @throws Error kCorrupt if the recording was made with another vocabulary.
void require_vocabulary(const RecordingHeader& header,
                        const Tokenizer& tokenizer,
                        const std::string& where);

}  // namespace dreamgym
