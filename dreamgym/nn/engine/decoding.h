// From requests to replies, on one thread: reading contexts, sampling, walking tries.
//
// Every pass takes one part from each unfinished request: the tokens its sequence has not read yet,
// all of them or as many as there is room for. Requests that are decoding go first (a token or a
// few forced ones), contexts fill the rest.
//
// Thread safety: none; one per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/language_model.h"
#include "dreamgym/nn/engine/backend.h"
#include "dreamgym/nn/engine/cached_sequence.h"
#include "dreamgym/nn/engine/forward_pass.h"
#include "dreamgym/nn/engine/token_sampler.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym::engine {

/// A request under way. Lifetime: borrows the request and the sequence.
class ActiveRequest {
 public:
  /// @param limit      most new tokens, max_tokens and the model's length considered.
  /// @param tokenizer  may be null for a request without stop texts.
  ActiveRequest(const GenerationRequest& request,
                CachedSequence& sequence,
                std::size_t limit,
                const Tokenizer* tokenizer);

  /// Goes back to what the sequence shares with the context and takes forced tokens.
  void begin(EngineCounters& counters);

  [[nodiscard]] bool finished() const { return finished_; }
  /// Tokens still to be read before the next one can be sampled.
  [[nodiscard]] std::span<const TokenId> unread() const;
  [[nodiscard]] CachedSequence& sequence() const { return *sequence_; }
  [[nodiscard]] const GenerationRequest& request() const { return *request_; }
  /// Context and reply so far.
  [[nodiscard]] std::span<const TokenId> tokens() const { return tokens_; }
  /// The tokens that may come next, or empty: any.
  [[nodiscard]] std::span<const TokenId> allowed() const;
  /// What the grammar allows next, or empty: any.
  [[nodiscard]] std::span<const std::uint64_t> mask() const;
  /// The stream of the next token's draw.
  [[nodiscard]] Rng next_stream() const;
  /// Takes a sampled token, then those it forces.
  /// @param index  in allowed(), or the token itself.
  void accept(SampledIndex sampled, EngineCounters& counters);

  /// Passes' worth of work still expected, in tokens.
  [[nodiscard]] std::size_t expected_work() const;
  GenerationReply take_reply() { return std::move(reply_); }

 private:
  void append(TokenId token, float logprob);
  bool says_stop_text(TokenId token);
  bool ends(TokenId token);
  void follow_forced(EngineCounters& counters);
  void finish(FinishReason reason);

  const GenerationRequest* request_;
  CachedSequence* sequence_;
  std::size_t limit_;
  const Tokenizer* tokenizer_;
  std::vector<TokenId> tokens_;  // context and reply
  std::string text_;             // of the reply, kept where it may say a stop text
  GenerationReply reply_;
  TokenTrie::Node node_ = 0;
  TokenGrammar::State grammar_state_ = 0;
  bool finished_ = false;
};

struct PrefixChain;  // prefix_sharing.h

class Decoder {
 public:
  /// @param kernels  of the sampling. Lifetime: backend, config and kernels outlive the decoder.
  Decoder(Backend& backend,
          const TransformerConfig& config,
          const Kernels& kernels,
          std::size_t chunk_tokens);

  /// Runs the requests to their ends. Each has another sequence.
  /// @throws Error kDiverged if logits are not finite.
  void run(std::span<ActiveRequest* const> requests, EngineCounters& counters);
  /// One pass over the requests, none of them finished. @throws Error as run().
  void run_pass(std::span<ActiveRequest* const> requests, EngineCounters& counters);
  /// Reads what the requests of a chain have in common, once. Whose whole context has been read by then
  /// has its first token. @throws Error as run().
  void read_chain(const PrefixChain& chain, EngineCounters& counters);
  /// Reads the tokens into the empty sequence and says how likely each was.
  SequenceScore score(std::span<const TokenId> tokens, CachedSequence& sequence);

 private:
  void choose_parts(std::span<ActiveRequest* const> requests, EngineCounters& counters);
  void add_part(ActiveRequest& request, std::size_t room, EngineCounters& counters);
  void sample(EngineCounters& counters);
  void sample_free(std::size_t first, std::size_t count, EngineCounters& counters);
  SampledIndex sample_choice(const ActiveRequest& request, std::size_t output);

  const TransformerConfig& config_;
  const std::size_t chunk_tokens_;
  std::unique_ptr<ForwardPass> pass_;
  TokenSampler sampler_;
  std::size_t first_ = 0;  // where the next pass starts to look, so that all get their turn
  std::size_t num_chosen_rows_ = 0;
  std::vector<PassPart> parts_;
  std::vector<ActiveRequest*> waiting_;  // one per output of the pass
  std::vector<float> choice_logits_;
};

}  // namespace dreamgym::engine
