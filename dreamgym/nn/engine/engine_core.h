// What GenerationEngine and RunningBatch share: the model, the sessions' memory, decoders.
//
// Thread safety: calls must not overlap; threads inside.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/nn/engine/backend.h"
#include "dreamgym/nn/engine/decoding.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

class EngineCore {
 public:
  EngineCore(const TransformerWeights& weights,
             std::shared_ptr<const Tokenizer> its_tokenizer,
             EngineConfig its_config);

  /// @throws Error kInvalidArgument, as GenerationEngine::generate().
  void check_requests(std::span<const GenerationRequest> requests) const;
  /// All replies, in order. @throws Error as GenerationEngine::generate().
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests);
  SequenceScore score(std::span<const TokenId> tokens);

  /// A request that has begun: what its session holds of it is found. Lifetime: borrows the request
  /// and the sequence.
  ActiveRequest begin(const GenerationRequest& request, CachedSequence& sequence);
  /// The session's memory, which is in use from now on; of session 0 a new one in `temporary`.
  CachedSequence& sequence_of(const GenerationRequest& request,
                              std::vector<std::unique_ptr<CachedSequence>>& temporary);
  /// What several requests begin with is read once.
  void share_prefixes(std::span<ActiveRequest* const> active);
  /// Each decoder's next pass over its share of the requests; one that failed is thrown last.
  void run_pass(std::span<ActiveRequest* const> active);
  /// Drops the least recently used sessions until the rest fit the budget; those in `kept` stay.
  void evict(std::span<const std::uint64_t> kept = {});

  EngineConfig config;
  std::shared_ptr<const Tokenizer> tokenizer;
  const Kernels& kernels;
  const TransformerConfig model_config;
  std::string version;  // of weights and adapter
  std::unique_ptr<Backend> backend;
  CacheShape shape;  // its tails; blocks are the backend's
  BlockPool pool;    // before the sessions, which give their blocks back
  struct Session {
    CachedSequence sequence;
    std::uint64_t last_use = 0;  // number of the call
  };
  std::map<std::uint64_t, Session> sessions;
  std::uint64_t num_calls = 0;
  EngineCounters counters;

 private:
  [[nodiscard]] std::size_t num_parallel() const;
  void make_decoders(std::size_t count);
  void count(std::span<const EngineCounters> of_threads);
  template <class Run>
  void run_shares(std::span<ActiveRequest* const> active, const Run& run);

  std::vector<std::unique_ptr<Decoder>> decoders_;  // one per thread
};

}  // namespace dreamgym::engine
