#include "dreamgym/llm/flaky_model.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/request_key.h"

namespace dreamgym {

FlakyModel::FlakyModel(LanguageModel& model, const FlakyConfig& config, std::uint64_t seed)
    : model_(model), config_(config), rng_(seed) {
  for (const double probability :
       {config.failure_probability, config.cut_probability, config.garble_probability}) {
    if (!(probability >= 0 && probability <= 1)) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("flaky model: a probability is {}, expected one in [0, 1]", probability));
    }
  }
}

std::vector<GenerationReply> FlakyModel::generate(std::span<const GenerationRequest> requests) {
  const std::uint64_t call = num_calls_++;
  if (rng_.fork("failure", call).uniform() < config_.failure_probability) {
    ++num_failures_;
    throw Error(ErrorKind::kIo, fmt::format("flaky model: call {} fails as injected", call));
  }
  auto replies = model_.generate(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].choices) {
      damage(requests[i], replies[i]);
    }
  }
  return replies;
}

void FlakyModel::damage(const GenerationRequest& request, GenerationReply& reply) {
  if (reply.tokens.empty()) {
    return;
  }
  Rng rng = rng_.fork(request_key(request));
  const bool cut = rng.uniform() < config_.cut_probability;
  const bool garble = rng.uniform() < config_.garble_probability;
  if (garble) {
    auto& token = reply.tokens[rng.below(reply.tokens.size())];
    const auto size = static_cast<std::uint64_t>(tokenizer().vocabulary_size());
    // Another token, never the same one.
    token =
        static_cast<TokenId>((static_cast<std::uint64_t>(token) + 1 + rng.below(size - 1)) % size);
  }
  if (cut) {
    reply.tokens.resize(reply.tokens.size() / 2);
    reply.logprobs.resize(reply.tokens.size());
    reply.finish = FinishReason::kLength;
  }
  num_damaged_replies_ += cut || garble ? 1 : 0;
}

}  // namespace dreamgym
