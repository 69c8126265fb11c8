#include "dreamgym/llm/scripted_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

GenerationReply choice_reply(const GenerationRequest& request, std::vector<TokenId> answer) {
  if (!is_path(*request.choices, answer)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("scripted model: its answer of {} tokens is not among the {} choices",
                            answer.size(),
                            all_paths(*request.choices).size()),
                "the script must name one of the choices, its last token included");
  }
  GenerationReply reply{
      .tokens = std::move(answer), .logprobs = {}, .finish = FinishReason::kChoice};
  for (const auto& allowed : allowed_along(*request.choices, reply.tokens)) {
    reply.logprobs.push_back(-std::log(static_cast<float>(allowed.size())));
  }
  if (reply.tokens.size() > request.max_tokens) {
    reply.tokens.resize(request.max_tokens);
    reply.logprobs.resize(request.max_tokens);
    reply.finish = FinishReason::kLength;
  }
  return reply;
}

}  // namespace

std::vector<TokenId> encode_script(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> tokens;
  const auto append_plain = [&](std::string_view plain) {
    const auto encoded = tokenizer.encode(plain);
    tokens.insert(tokens.end(), encoded.begin(), encoded.end());
  };
  std::size_t plain_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto marker = std::ranges::find_if(markers::kAll, [&](std::string_view name) {
      return text.substr(i).starts_with(name) && tokenizer.marker(name).has_value();
    });
    if (marker == markers::kAll.end()) {
      ++i;
      continue;
    }
    append_plain(text.substr(plain_start, i - plain_start));
    tokens.push_back(*tokenizer.marker(*marker));
    i += marker->size();
    plain_start = i;
  }
  append_plain(text.substr(plain_start));
  return tokens;
}

ScriptedModel::ScriptedModel(std::shared_ptr<const Tokenizer> tokenizer, Answer answer)
    : tokenizer_(std::move(tokenizer)), answer_(std::move(answer)) {
  check(tokenizer_ != nullptr, "a scripted model has a tokenizer");
}

ScriptedModel::ScriptedModel(std::shared_ptr<const Tokenizer> tokenizer,
                             std::vector<std::string> answers)
    : ScriptedModel(std::move(tokenizer), Answer()) {
  answer_ = [script = tokenizer_, answers = std::move(answers), next = std::size_t{0}](
                const GenerationRequest&) mutable {
    if (next == answers.size()) {
      throw Error(ErrorKind::kNotFound,
                  fmt::format("scripted model: asked once more after all {} answers", next));
    }
    return encode_script(*script, answers[next++]);
  };
}

std::vector<GenerationReply> ScriptedModel::generate(std::span<const GenerationRequest> requests) {
  std::vector<GenerationReply> replies;
  for (const auto& request : requests) {
    requests_.push_back(request);
    replies.push_back(reply(request));
  }
  return replies;
}

GenerationReply ScriptedModel::reply(const GenerationRequest& request) const {
  std::vector<TokenId> answer = answer_(request);
  if (request.choices) {
    return choice_reply(request, std::move(answer));
  }
  GenerationReply reply{.tokens = {}, .logprobs = {}, .finish = FinishReason::kLength};
  const float uniform = -std::log(static_cast<float>(tokenizer_->vocabulary_size()));
  for (const TokenId token : answer) {
    if (reply.tokens.size() == request.max_tokens) {
      break;
    }
    reply.tokens.push_back(token);
    reply.logprobs.push_back(uniform);
    if (std::ranges::find(request.stop, token) != request.stop.end()) {
      reply.finish = FinishReason::kStop;
      break;
    }
  }
  return reply;
}

void ScriptedModel::release(std::span<const std::uint64_t> /*sessions*/) {}

}  // namespace dreamgym
