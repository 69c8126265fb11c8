#include "dreamgym/llm/endpoint/endpoint_model.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/base/running_calls.h"
#include "dreamgym/llm/endpoint/openai_api.h"
#include "dreamgym/llm/generation_queue.h"
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

// As many calls at once as the fleet takes, each taken when it is answered.
class EndpointModel::Queue final : public GenerationQueue {
 public:
  explicit Queue(EndpointModel& model) : model_(model), calls_(model.fleet_->config().concurrency) {}

  void submit(std::uint64_t ticket, GenerationRequest request) override {
    check(!calls_.is_due(ticket), "the tickets under way are distinct");
    calls_.start(ticket, [this, asked = std::move(request)] { return model_.ask(asked); });
  }

  std::vector<Ended> collect(std::chrono::nanoseconds patience) override {
    std::vector<Ended> ended;
    for (auto& call : calls_.collect(patience)) {
      ended.push_back({call.number, std::move(call.result)});
    }
    return ended;
  }

  std::vector<Ended> finish() override {
    std::vector<Ended> ended;
    while (!idle()) {
      std::ranges::move(collect(kUntilItComes), std::back_inserter(ended));
    }
    std::ranges::sort(ended, {}, &Ended::ticket);
    return ended;
  }

  [[nodiscard]] bool idle() const override { return calls_.idle(); }

 private:
  EndpointModel& model_;
  RunningCalls<GenerationReply> calls_;
};

std::unique_ptr<GenerationQueue> EndpointModel::open_queue() { return std::make_unique<Queue>(*this); }

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
