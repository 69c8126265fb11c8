#include "dreamgym/llm/recorded_model.h"

#include "dreamgym/llm/internal/recording_lines.h"

namespace dreamgym {

RecordedModel::RecordedModel(LanguageModel& model, const Path& path)
    : model_(model), writer_(path) {
  if (writer_.size_bytes() == 0) {
    writer_.write_line(write_header({.vocabulary_size = model.tokenizer().vocabulary_size(),
                                     .max_context_tokens = model.max_context_tokens(),
                                     .version = model.version()}));
    return;
  }
  for_each_line(path, [&](std::size_t /*number*/, std::string_view line) {
    const std::string where = path.string() + " line 1";
    require_vocabulary(read_header(line, where), model.tokenizer(), where);
    return false;
  });
}

std::vector<GenerationReply> RecordedModel::generate(std::span<const GenerationRequest> requests) {
  auto replies = model_.generate(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    writer_.write_line(write_line(requests[i], replies[i], model_));
  }
  return replies;
}

}  // namespace dreamgym
