#include "dreamgym/nn/generation_engine.h"

#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/engine/engine_core.h"
#include "dreamgym/nn/running_queue.h"

namespace dreamgym {

GenerationEngine::GenerationEngine(const TransformerWeights& weights,
                                   std::shared_ptr<const Tokenizer> tokenizer,
                                   EngineConfig config) {
  if (config.num_threads == 0 || config.prefill_chunk_tokens == 0) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("generation engine with {} threads and chunks of {} tokens; expected at "
                    "least 1 of each",
                    config.num_threads,
                    config.prefill_chunk_tokens));
  }
  core_ = std::make_unique<engine::EngineCore>(weights, std::move(tokenizer), std::move(config));
}

GenerationEngine::~GenerationEngine() = default;

void GenerationEngine::set_weights(const TransformerWeights& weights) {
  if (weights.config != core_->model_config) {
    throw Error(ErrorKind::kInvalidArgument,
                "the new weights have another shape than the engine's",
                "build a new engine for another model");
  }
  core_->backend->set_weights(weights);
  core_->version = weights.version;
  core_->sessions.clear();
}

void GenerationEngine::set_adapter(const LoraAdapter& adapter, std::string version) {
  core_->backend->set_adapter(adapter);
  core_->version = std::move(version);
  core_->sessions.clear();
}

std::vector<GenerationReply> GenerationEngine::generate(
    std::span<const GenerationRequest> requests) {
  core_->check_requests(requests);
  try {
    std::vector<GenerationReply> replies = core_->generate(requests);
    core_->evict();
    return replies;
  } catch (...) {
    // A sequence may have been left between two states.
    for (const GenerationRequest& request : requests) {
      core_->sessions.erase(request.session);
    }
    throw;
  }
}

std::unique_ptr<GenerationQueue> GenerationEngine::open_queue() {
  return std::make_unique<RunningQueue>(*this);
}

SequenceScore GenerationEngine::score(std::span<const TokenId> tokens) {
  const auto longest = max_context_tokens();
  if (tokens.empty() || tokens.size() > longest) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("a sequence of {} tokens can't be scored; the model holds 1 to {}",
                            tokens.size(),
                            longest));
  }
  return core_->score(tokens);
}

void GenerationEngine::release(std::span<const std::uint64_t> sessions) {
  for (const std::uint64_t session : sessions) {
    core_->sessions.erase(session);
  }
}

const Tokenizer& GenerationEngine::tokenizer() const {
  check(core_->tokenizer != nullptr, "the engine was given a tokenizer");
  return *core_->tokenizer;
}

std::size_t GenerationEngine::max_context_tokens() const {
  return static_cast<std::size_t>(core_->model_config.max_position);
}

std::string GenerationEngine::version() const {
  return core_->version;
}

EngineCounters GenerationEngine::counters() const {
  return core_->counters;
}

std::size_t GenerationEngine::cache_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, session] : core_->sessions) {
    bytes += session.sequence.bytes();
  }
  return bytes;
}

}  // namespace dreamgym
