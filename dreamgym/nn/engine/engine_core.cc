#include "dreamgym/nn/engine/engine_core.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/nn/engine/kernel_backend.h"
#include "dreamgym/nn/engine/number_names.h"
#include "dreamgym/nn/engine/prefix_sharing.h"
#include "dreamgym/nn/engine/torch_backend.h"

namespace dreamgym::engine {
namespace {

constexpr double kLowestTemperature = 1e-6;

[[noreturn]] void reject(std::size_t index, const std::string& what, const std::string& hint) {
  throw Error(
      ErrorKind::kInvalidArgument, fmt::format("generation request {}: {}", index, what), hint);
}

void check_filter(const SamplingFilter& filter, std::size_t index) {
  const bool valid = filter.top_p > 0 && filter.top_p <= 1 && filter.min_p >= 0 &&
                     filter.min_p <= 1 && filter.repetition_penalty > 0 &&
                     std::isfinite(filter.repetition_penalty) &&
                     std::ranges::all_of(filter.bias, [](const auto& tilt) {
                       return std::isfinite(tilt.second);
                     });
  if (!valid) {
    reject(index,
           fmt::format("top_p {}, min_p {}, repetition_penalty {}; expected (0, 1], [0, 1], above "
                       "0, and a finite bias",
                       filter.top_p,
                       filter.min_p,
                       filter.repetition_penalty),
           "");
  }
}

void check_request(const GenerationRequest& request,
                   std::size_t index,
                   const TransformerConfig& config) {
  const auto longest = static_cast<std::size_t>(config.max_position);
  if (request.context.empty()) {
    reject(index, "the context is empty; expected at least one token", "");
  }
  if (request.context.size() >= longest) {
    reject(index,
           fmt::format("a context of {} tokens leaves no room for a reply; the model holds {} "
                       "tokens of context and reply",
                       request.context.size(),
                       longest),
           "shorten the history or the demonstrations");
  }
  if (request.kept_tokens > request.context.size()) {
    reject(index,
           fmt::format("kept_tokens is {}, the context has {} tokens",
                       request.kept_tokens,
                       request.context.size()),
           "");
  }
  if (!(request.temperature == 0 ||
        (request.temperature >= kLowestTemperature && std::isfinite(request.temperature)))) {
    reject(
        index,
        fmt::format(
            "temperature {}; expected 0 or at least {}", request.temperature, kLowestTemperature),
        "0 is greedy");
  }
  if (request.choices && request.grammar) {
    reject(index, "both choices and a grammar", "a choice needs no grammar");
  }
  const auto check_known = [&](TokenId token, const char* place) {
    if (token < 0 || token >= config.vocab_size) {
      reject(
          index,
          fmt::format("token {} in the {}; the vocabulary has {}", token, place, config.vocab_size),
          "encode with the model's own tokenizer");
    }
  };
  for (const TokenId token : request.context) {
    check_known(token, "context");
  }
  for (const auto& [token, bias] : request.filter.bias) {
    check_known(token, "logit bias");
  }
  check_filter(request.filter, index);
}

// Requests of each thread: the largest first, each to the thread with the least work.
std::vector<std::vector<ActiveRequest*>> partition(std::span<ActiveRequest* const> requests,
                                                   std::size_t num_threads) {
  std::vector<std::pair<std::size_t, ActiveRequest*>> by_work;
  for (ActiveRequest* request : requests) {
    if (!request->finished()) {
      by_work.emplace_back(request->expected_work(), request);
    }
  }
  std::ranges::stable_sort(by_work, std::greater{}, &std::pair<std::size_t, ActiveRequest*>::first);
  const std::size_t count = std::clamp<std::size_t>(by_work.size(), 1, num_threads);
  std::vector<std::vector<ActiveRequest*>> shares(count);
  std::vector<std::size_t> loads(count);
  for (const auto& [work, request] : by_work) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
    loads[least] += work;
    shares[least].push_back(request);
  }
  return shares;
}

std::unique_ptr<Backend> make_backend(const TransformerWeights& weights,
                                      const Kernels& kernels,
                                      const EngineConfig& config) {
  if (!config.device.empty()) {
    return make_torch_backend(weights, config);
  }
  return std::make_unique<KernelBackend>(
      weights,
      kernels,
      KernelNumbers{.weights = weight_format(config.weights), .cache = cache_format(config.cache)});
}

}  // namespace

EngineCore::EngineCore(const TransformerWeights& weights,
                       std::shared_ptr<const Tokenizer> its_tokenizer,
                       EngineConfig its_config)
    : config(std::move(its_config)),
      tokenizer(std::move(its_tokenizer)),
      kernels(select_kernels(config.kernels)),
      model_config(weights.config),
      version(weights.version),
      backend(make_backend(weights, kernels, config)),
      shape(model_config),
      pool(backend->block_memory()) {}

void EngineCore::check_requests(std::span<const GenerationRequest> requests) const {
  std::set<std::uint64_t> named;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    check_request(requests[i], i, model_config);
    if (!requests[i].stop_texts.empty() && tokenizer == nullptr) {
      reject(i, "stop texts need a tokenizer", "stop at tokens instead");
    }
    if (requests[i].session != 0 && !named.insert(requests[i].session).second) {
      reject(i,
             fmt::format("session {} is named twice in one call", requests[i].session),
             "give every episode its own session, or 0");
    }
  }
}

std::vector<GenerationReply> EngineCore::generate(std::span<const GenerationRequest> requests) {
  ++num_calls;
  std::vector<std::unique_ptr<CachedSequence>> temporary;
  std::vector<ActiveRequest> active;
  active.reserve(requests.size());
  std::vector<ActiveRequest*> pointers;
  for (const GenerationRequest& request : requests) {
    active.push_back(begin(request, sequence_of(request, temporary)));
    pointers.push_back(&active.back());
  }
  share_prefixes(pointers);
  run_shares(pointers, [](Decoder& decoder, auto share, EngineCounters& counted) {
    decoder.run(share, counted);
  });
  std::vector<GenerationReply> replies;
  replies.reserve(requests.size());
  for (ActiveRequest& request : active) {
    replies.push_back(request.take_reply());
  }
  return replies;
}

SequenceScore EngineCore::score(std::span<const TokenId> tokens) {
  make_decoders(1);
  CachedSequence sequence(shape, pool);
  return decoders_.front()->score(tokens, sequence);
}

ActiveRequest EngineCore::begin(const GenerationRequest& request, CachedSequence& sequence) {
  const std::size_t room =
      static_cast<std::size_t>(model_config.max_position) - request.context.size();
  ActiveRequest active(
      request, sequence, std::min(request.max_tokens, room), tokenizer.get());
  active.begin(counters);
  return active;
}

// Each chain of requests that begin alike on one thread.
void EngineCore::share_prefixes(std::span<ActiveRequest* const> active) {
  const auto chains = find_prefix_chains(active);
  const std::size_t num_threads = std::min(chains.size(), num_parallel());
  make_decoders(num_threads);
  std::vector<EngineCounters> counted(num_threads);
  parallel_for(num_threads, num_threads, [&](std::size_t thread) {
    for (std::size_t i = thread; i < chains.size(); i += num_threads) {
      decoders_[thread]->read_chain(chains[i], counted[thread]);
    }
  });
  count(counted);
}

void EngineCore::run_pass(std::span<ActiveRequest* const> active) {
  run_shares(active, [](Decoder& decoder, auto share, EngineCounters& counted) {
    if (!share.empty()) {
      decoder.run_pass(share, counted);
    }
  });
}

template <class Run>
void EngineCore::run_shares(std::span<ActiveRequest* const> active, const Run& run) {
  const auto shares = partition(active, num_parallel());
  make_decoders(shares.size());
  std::vector<EngineCounters> counted(shares.size());
  parallel_for(shares.size(), shares.size(), [&](std::size_t i) {
    run(*decoders_[i], std::span<ActiveRequest* const>(shares[i]), counted[i]);
  });
  count(counted);
}

void EngineCore::count(std::span<const EngineCounters> of_threads) {
  for (const EngineCounters& one : of_threads) {
    counters.prefill_tokens += one.prefill_tokens;
    counters.reused_tokens += one.reused_tokens;
    counters.sampled_tokens += one.sampled_tokens;
    counters.forced_tokens += one.forced_tokens;
  }
}

std::size_t EngineCore::num_parallel() const {
  return std::min(config.num_threads, backend->max_parallel_passes());
}

void EngineCore::make_decoders(std::size_t count) {
  while (decoders_.size() < count) {
    decoders_.push_back(
        std::make_unique<Decoder>(*backend, model_config, kernels, config.prefill_chunk_tokens));
  }
}

CachedSequence& EngineCore::sequence_of(
    const GenerationRequest& request, std::vector<std::unique_ptr<CachedSequence>>& temporary) {
  if (request.session == 0) {
    return *temporary.emplace_back(std::make_unique<CachedSequence>(shape, pool));
  }
  const auto found = sessions.try_emplace(request.session, Session{CachedSequence(shape, pool)}).first;
  found->second.last_use = num_calls;
  return found->second.sequence;
}

void EngineCore::evict(std::span<const std::uint64_t> kept) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_use;  // last use, name
  std::size_t bytes = 0;
  for (const auto& [name, session] : sessions) {
    by_use.emplace_back(session.last_use, name);
    bytes += session.sequence.bytes();
  }
  std::ranges::sort(by_use);
  for (const auto& [last_use, name] : by_use) {
    if (bytes <= config.cache_budget_bytes) {
      break;
    }
    if (std::ranges::find(kept, name) == kept.end()) {
      bytes -= sessions.at(name).sequence.bytes();
      sessions.erase(name);
    }
  }
}

}  // namespace dreamgym::engine
