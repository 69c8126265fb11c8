#include "dreamgym/llm/internal/recording_lines.h"

#include <fmt/format.h>

#include <array>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/request_key.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "dreamgym-model-recording";
constexpr int kFormatVersion = 1;
constexpr std::array kFinishNames = {"stop", "length", "choice"};  // by FinishReason

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kCorrupt,
              fmt::format("{}: {}", where, what),
              "record again, or remove the broken line");
}

Json parse(std::string_view line, const std::string& where) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) {
    fail(where, "is no JSON object");
  }
  return json;
}

/// json[key] as a T, or an Error that names the key.
template <class T>
T get(const Json& json, const char* key, const std::string& where) {
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    fail(where, fmt::format("has no usable \"{}\"", key));
  }
}

FinishReason finish_reason(const std::string& name, const std::string& where) {
  for (std::size_t i = 0; i < kFinishNames.size(); ++i) {
    if (name == kFinishNames[i]) {
      return static_cast<FinishReason>(i);
    }
  }
  fail(where, fmt::format("\"finish\" is \"{}\", expected stop, length or choice", name));
}

/// Text for people to read; what is no UTF-8 can't stand in JSON.
std::string readable(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::string text = tokenizer.decode(tokens);
  for (std::size_t bad = find_invalid_utf8(text); bad != std::string::npos;
       bad = find_invalid_utf8(text)) {
    text[bad] = '?';
  }
  return text;
}

}  // namespace

std::string write_header(const RecordingHeader& header) {
  return Json{{"format", kFormat},
              {"format_version", kFormatVersion},
              {"vocabulary_size", header.vocabulary_size},
              {"max_context_tokens", header.max_context_tokens},
              {"model", header.version}}
      .dump();
}

std::string write_line(const GenerationRequest& request,
                       const GenerationReply& reply,
                       const LanguageModel& model) {
  Json choices;
  if (request.choices) {
    choices = all_paths(*request.choices);
  }
  return Json{{"key", request_key(request)},
              {"model", model.version()},
              {"context", request.context},
              {"max_tokens", request.max_tokens},
              {"temperature", request.temperature},
              {"stop", request.stop},
              {"choices", std::move(choices)},
              {"seed", request.seed},
              {"reply", reply.tokens},
              {"logprobs", reply.logprobs},
              {"finish", kFinishNames.at(static_cast<std::size_t>(reply.finish))},
              {"text", readable(model.tokenizer(), reply.tokens)}}
      .dump();
}

RecordingHeader read_header(std::string_view line, const std::string& where) {
  const Json json = parse(line, where);
  if (json.value("format", Json()) != Json(kFormat)) {
    fail(where, fmt::format("is no model recording (no \"format\": \"{}\")", kFormat));
  }
  if (const int version = get<int>(json, "format_version", where); version != kFormatVersion) {
    fail(where, fmt::format("has format version {}, expected {}", version, kFormatVersion));
  }
  return {.vocabulary_size = get<std::size_t>(json, "vocabulary_size", where),
          .max_context_tokens = get<std::size_t>(json, "max_context_tokens", where),
          .version = get<std::string>(json, "model", where)};
}

RecordingLine read_line(std::string_view line, const std::string& where) {
  const Json json = parse(line, where);
  RecordingLine result{
      .key = get<std::string>(json, "key", where),
      .version = get<std::string>(json, "model", where),
      .reply = {.tokens = get<std::vector<TokenId>>(json, "reply", where),
                .logprobs = get<std::vector<float>>(json, "logprobs", where),
                .finish = finish_reason(get<std::string>(json, "finish", where), where)}};
  if (result.reply.tokens.size() != result.reply.logprobs.size()) {
    fail(where,
         fmt::format("has {} reply tokens but {} log-probabilities",
                     result.reply.tokens.size(),
                     result.reply.logprobs.size()));
  }
  return result;
}

void require_vocabulary(const RecordingHeader& header,
                        const Tokenizer& tokenizer,
                        const std::string& where) {
  if (header.vocabulary_size != tokenizer.vocabulary_size()) {
    fail(where,
         fmt::format("was recorded with a vocabulary of {} tokens, this tokenizer has {}",
                     header.vocabulary_size,
                     tokenizer.vocabulary_size()));
  }
}

}  // namespace dreamgym
