#include "dreamgym/apps/lm/model_doors.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dreamgym/apps/adapted_weights.h"
#include "dreamgym/apps/lm/text_doors.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/grammar/json_schema.h"

namespace dreamgym::lm {
namespace {

constexpr std::array kFinishNames = {"stop", "length", "choice"};  // by FinishReason

void check_keys(const Json& line) {
  static const std::vector<std::string> kKnown = {
      "ids",     "prompt", "messages", "tools",   "variables", "max_tokens",         "temperature",
      "seed",    "stop",   "choices",  "n",       "top_k",     "top_p",              "min_p",
      "session", "kept_tokens",        "logit_bias",           "repetition_penalty", "schema"};
  if (!line.is_object()) {
    throw Error(ErrorKind::kParse, "a request is a JSON object");
  }
  for (const auto& [key, value] : line.items()) {
    if (std::ranges::find(kKnown, key) == kKnown.end()) {
      throw Error(ErrorKind::kParse,
                  "unknown key \"" + shorten(key, 60) + "\"",
                  "the nearest is \"" + nearest(key, kKnown) + "\"");
    }
  }
}

// "stop" names texts, ids, or both; a single one needs no list.
void read_stops(const Json& line, GenerationRequest& request) {
  const auto found = line.find("stop");
  if (found == line.end() || found->is_null()) {
    return;
  }
  for (const Json& stop : found->is_array() ? *found : Json::array({*found})) {
    if (stop.is_number_integer()) {
      request.stop.push_back(value_as<TokenId>(stop, "\"stop\""));
    } else if (const auto text = value_as<std::string>(stop, "\"stop\""); !text.empty()) {
      request.stop_texts.push_back(text);
    }
  }
}

SamplingFilter filter_of(const Json& line) {
  SamplingFilter filter;
  filter.top_k = field_or<std::size_t>(line, "top_k", 0);
  filter.top_p = field_or(line, "top_p", 1.0);
  filter.min_p = field_or(line, "min_p", 0.0);
  filter.repetition_penalty = field_or(line, "repetition_penalty", 1.0);
  for (const auto& [token, bias] : field_or<Json>(line, "logit_bias", Json::object()).items()) {
    try {
      filter.bias.emplace_back(std::stoi(token), value_as<float>(bias, "\"logit_bias\""));
    } catch (const std::logic_error&) {  // what stoi throws
      throw Error(ErrorKind::kParse, "\"logit_bias\" names \"" + shorten(token, 40) + "\", no id");
    }
  }
  return filter;
}

// Not negative, whatever JSON says.
std::size_t count_of(const Json& line, const char* key, std::size_t otherwise) {
  const auto value = field_or<std::int64_t>(line, key, static_cast<std::int64_t>(otherwise));
  if (value < 0) {
    throw Error(ErrorKind::kInvalidArgument, fmt::format("\"{}\" is {}, expected at least 0", key, value));
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

ModelDoors::ModelDoors(ModelOptions options) : options_(std::move(options)) {
  const Path path = options_.model;
  AdaptedWeights model{.weights = load_model_weights(path)};
  if (options_.adapter.empty()) {
    model = separate_adapter(std::move(model.weights), path);
  } else {
    model.adapter = load_lora(options_.adapter);
    model.weights.version += '+' + Path(options_.adapter).filename().string();
  }
  if (has_tokenizer(path)) {
    language_ = load_model_language(path);
    check_vocabulary(*language_, model.weights.config, options_.model);
  }
  if (!options_.schema.empty()) {
    schema_ = read_file(options_.schema);
    (void)json_schema_pattern(schema_, options_.schema);  // said before the first request
  }
  engine_.emplace(model.weights, language_ ? language_->tokenizer : nullptr, options_.engine);
  give_adapter(model.adapter, *engine_);
}

const ModelLanguage& ModelDoors::language() const {
  if (!language_) {
    throw Error(ErrorKind::kNotFound,
                options_.model + ": has no tokenizer.json, so it takes \"ids\" only",
                "put the model's tokenizer.json beside its weights");
  }
  return *language_;
}

ChatTemplate ModelDoors::chat_template() const {
  return chat_template_of(language(), options_.chat_template, options_.model);
}

std::vector<TokenId> ModelDoors::end_tokens() const {
  return language_ ? language_->generation.end_tokens : std::vector<TokenId>{};
}

Json ModelDoors::score(const Json& line) {
  const SequenceScore score = engine_->score(field<std::vector<TokenId>>(line, "ids"));
  return {{"logprobs", score.logprobs}, {"last_logits", score.last_logits}};
}

std::vector<TokenId> ModelDoors::context_of(const Json& line) const {
  const std::size_t num_ways = line.count("ids") + line.count("prompt") + line.count("messages");
  if (num_ways != 1) {
    throw Error(ErrorKind::kParse, "give one of \"ids\", \"prompt\" and \"messages\"");
  }
  if (line.contains("ids")) {
    return field<std::vector<TokenId>>(line, "ids");
  }
  if (line.contains("prompt")) {
    return language().tokenizer->encode_with_markers(field<std::string>(line, "prompt"));
  }
  return chat_tokens(language(), render_chat(chat_template(), chat_request(line, true)));
}

// Each choice ends with the end of a turn, so that one may begin another.
std::shared_ptr<const TokenTrie> ModelDoors::trie_of(
    const std::vector<std::string>& choices) const {
  std::vector<std::vector<TokenId>> sequences;
  const std::vector<TokenId> ends = end_tokens();
  for (const std::string& choice : choices) {
    sequences.push_back(language().tokenizer->encode(choice));
    if (!ends.empty()) {
      sequences.back().push_back(ends.front());
    }
  }
  return std::make_shared<const TokenTrie>(sequences);
}

// The request's own "schema", or that of the door.
std::shared_ptr<const TokenGrammar> ModelDoors::grammar_of(const Json& line) {
  const std::string schema = line.contains("schema") ? line["schema"].dump() : schema_;
  if (schema.empty()) {
    return nullptr;
  }
  std::shared_ptr<const TokenGrammar>& grammar = grammars_[schema];
  if (!grammar) {
    if (!language().pretrained) {
      throw Error(ErrorKind::kUnsupported,
                  options_.model + ": replies of our own models can't be held to a schema",
                  "name a pretrained model");
    }
    if (!spellings_) {
      spellings_ = std::make_shared<const TokenSpellings>(*language().pretrained);
    }
    grammar = std::make_shared<const TokenGrammar>(
        *json_schema_pattern(schema, "\"schema\""), spellings_, end_tokens());
  }
  return grammar;
}

GenerationRequest ModelDoors::request_of(const Json& line) {
  check_keys(line);
  GenerationRequest request;
  request.context = context_of(line);
  request.session = count_of(line, "session", 0);
  request.kept_tokens = count_of(line, "kept_tokens", 0);
  request.max_tokens = count_of(line, "max_tokens", request.max_tokens);
  request.temperature = field_or(line, "temperature", 1.0);
  request.seed = field_or<std::uint64_t>(line, "seed", 0);
  request.stop = end_tokens();
  read_stops(line, request);
  request.filter = filter_of(line);
  if (const auto choices = field_or<std::vector<std::string>>(line, "choices", {});
      !choices.empty()) {
    request.choices = trie_of(choices);
  } else {
    request.grammar = grammar_of(line);
  }
  return request;
}

Json ModelDoors::reply_of(const GenerationRequest& request, const GenerationReply& reply) const {
  Json said{{"ids", reply.tokens}};
  if (language_) {
    std::span<const TokenId> ids = reply.tokens;
    const std::vector<TokenId> ends = end_tokens();
    if (!ids.empty() && std::ranges::find(ends, ids.back()) != ends.end()) {
      ids = ids.first(ids.size() - 1);
    }
    std::string text = language_->tokenizer->decode(ids);
    std::size_t end = text.size();
    for (const std::string& stop : request.stop_texts) {
      end = std::min(end, text.find(stop));
    }
    text.resize(end);
    said["text"] = printable(text);
  }
  said["logprobs"] = reply.logprobs;
  said["finish_reason"] = kFinishNames.at(static_cast<std::size_t>(reply.finish));
  return said;
}

std::vector<Json> ModelDoors::generate(const Json& line) {
  const auto requests = requests_of(line);
  return lines_of(requests, engine_->generate(requests));
}

std::vector<GenerationRequest> ModelDoors::requests_of(const Json& line) {
  const GenerationRequest request = request_of(line);
  const std::size_t count = count_of(line, "n", 1);
  if (count < 1 || count > kMostReplies) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("\"n\" is {}, expected 1 to {}", count, kMostReplies));
  }
  if (count > 1 && request.session != 0) {
    throw Error(ErrorKind::kInvalidArgument, "several replies can't share one session");
  }
  std::vector<GenerationRequest> requests(count, request);
  for (std::size_t i = 1; i < count; ++i) {
    requests[i].seed = Rng(request.seed).fork("reply", i).next();
  }
  return requests;
}

std::vector<Json> ModelDoors::lines_of(std::span<const GenerationRequest> requests,
                                       std::span<const GenerationReply> replies) const {
  std::vector<Json> said;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    said.push_back(reply_of(requests[i], replies[i]));
    if (requests.size() > 1) {
      said.back()["index"] = i;
    }
  }
  return said;
}

}  // namespace dreamgym::lm
