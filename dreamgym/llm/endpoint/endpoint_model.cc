#include "dreamgym/llm/endpoint/endpoint_model.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/llm/endpoint/openai_api.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

// The tokens of a choice are its text and an end token that is no text.
std::vector<std::string> texts_of(const Tokenizer& tokenizer,
                                  const std::vector<std::vector<TokenId>>& paths) {
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    texts.push_back(tokenizer.decode(std::span(path).first(path.size() - 1)));
  }
  return texts;
}

GenerationReply choice_reply(const Completion& completion,
                             const std::vector<std::vector<TokenId>>& paths,
                             std::size_t chosen) {
  GenerationReply reply;
  reply.tokens = paths[chosen];
  reply.finish = FinishReason::kChoice;
  // The server ends a choice with an end token of its own, or with none.
  const std::size_t spelled = reply.tokens.size() - 1;
  const bool same = completion.tokens.size() >= spelled && completion.logprobs.size() >= spelled &&
                    std::equal(reply.tokens.begin(), reply.tokens.end() - 1, completion.tokens.begin());
  if (same) {
    reply.logprobs.assign(completion.logprobs.begin(),
                          completion.logprobs.begin() + static_cast<std::ptrdiff_t>(spelled));
    reply.logprobs.push_back(0.0F);  // the end was forced
  } else {
    reply.logprobs.assign(reply.tokens.size(), std::numeric_limits<float>::quiet_NaN());
  }
  return reply;
}

}  // namespace

EndpointModel::EndpointModel(std::shared_ptr<EndpointFleet> fleet,
                             std::shared_ptr<const Tokenizer> tokenizer,
                             std::size_t max_context_tokens)
    : fleet_(std::move(fleet)),
      tokenizer_(std::move(tokenizer)),
      max_context_tokens_(max_context_tokens) {
  check(fleet_ != nullptr && tokenizer_ != nullptr, "an endpoint model has servers and a tokenizer");
}

std::vector<GenerationReply> EndpointModel::generate(std::span<const GenerationRequest> requests) {
  return parallel_map(requests.size(), fleet_->config().concurrency, [&](std::size_t i) {
    return ask(requests[i]);
  });
}

GenerationReply EndpointModel::ask(const GenerationRequest& request) {
  check(!request.context.empty(), "a request has a context");
  const auto paths =
      request.choices ? all_paths(*request.choices) : std::vector<std::vector<TokenId>>();
  const auto texts = texts_of(*tokenizer_, paths);
  Completion completion;
  std::size_t chosen = 0;
  const auto accept = [&](const nlohmann::json& answer) -> Expected<void, std::string> {
    auto read = read_completion(answer);
    if (!read) {
      return Unexpected<std::string>(read.error());
    }
    completion = std::move(*read);
    const auto found = std::ranges::find(texts, completion.text);
    if (!texts.empty() && found == texts.end()) {
      return Unexpected<std::string>("\"" + completion.text + "\" is none of the choices");
    }
    chosen = static_cast<std::size_t>(found - texts.begin());
    return {};
  };
  const auto answer = fleet_->call(
      "/completions", completion_body(request, fleet_->config().model, texts), accept);
  if (!answer) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: {}", version(), answer.error().reason),
                "is the server up, and does it return token ids and log-probabilities?");
  }
  if (!texts.empty()) {
    return choice_reply(completion, paths, chosen);
  }
  if (completion.tokens.empty() && !completion.text.empty()) {
    throw Error(ErrorKind::kUnsupported,
                version() + " returns no token ids",
                "vLLM from 0.10.2 on does (return_token_ids); ask other servers in messages");
  }
  GenerationReply reply;
  reply.tokens = std::move(completion.tokens);
  reply.logprobs = std::move(completion.logprobs);
  reply.logprobs.resize(reply.tokens.size(), std::numeric_limits<float>::quiet_NaN());
  const bool stopped = !reply.tokens.empty() &&
                       std::ranges::find(request.stop, reply.tokens.back()) != request.stop.end();
  reply.finish = stopped ? FinishReason::kStop : FinishReason::kLength;
  return reply;
}

std::string EndpointModel::version() const {
  return fmt::format("{}@{}", fleet_->config().model, fleet_->config().urls.front());
}

}  // namespace dreamgym
