// Ask a language model for tokens, whoever serves it.
//
// Requests carry the whole context as ids; a session name lets a model that keeps its own cache
// recognise the context it has already read, so an episode that only appends costs only its new
// tokens, and a tail that was rolled back (retrieved demonstrations) only what follows the common
// part. Sampled ids are returned as they were sampled and never re-encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/llm/grammar/token_grammar.h"
#include "dreamgym/llm/token_trie.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Narrows or tilts what may be drawn. Log-probabilities of a reply stay the model's own at the
/// request's temperature, so that a trainer can compute them again.
struct SamplingFilter {
  std::size_t top_k = 0;            ///< only the k most likely tokens; 0 = all
  double top_p = 1.0;               ///< only the fewest likely ones whose probability reaches this
  double min_p = 0.0;               ///< only those with at least this share of the likeliest's
  double repetition_penalty = 1.0;  ///< > 1: tokens of context and reply are less likely
  std::vector<std::pair<TokenId, float>> bias{};  ///< added to the logits of these tokens
  [[nodiscard]] bool active() const { return *this != SamplingFilter{}; }
  bool operator==(const SamplingFilter&) const = default;
};

struct GenerationRequest {
  std::uint64_t session = 0;     ///< cache key of the caller's choice; 0 = keep nothing
  std::vector<TokenId> context;  ///< everything the model has to read; not empty
  /// Leading tokens of the context that the session's next request will keep; what follows
  /// (retrieved demonstrations, the reply) will be rolled back. 0 = the next request continues
  /// after the reply.
  std::size_t kept_tokens = 0;
  std::size_t max_tokens = 64;  ///< at most this many new tokens
  double temperature = 1.0;     ///< 0 = greedy (ties: lowest id)
  std::vector<TokenId> stop;    ///< generation ends after one of these (it is part of the reply)
  /// Generation also ends once the reply's text holds one of these (the token that completes it is
  /// part of the reply).
  std::vector<std::string> stop_texts;
  SamplingFilter filter;
  /// If set: walk this trie to a leaf; stop, stop_texts and filter are ignored.
  std::shared_ptr<const TokenTrie> choices;
  /// If set: the reply's text is held to this grammar, and the reply ends where nothing may follow
  /// or with one of the grammar's own ends; stop and stop_texts are ignored. A reply that ends at
  /// max_tokens (kLength) may be no whole text of the grammar.
  std::shared_ptr<const TokenGrammar> grammar;
  std::uint64_t seed = 0;  ///< key of this request's own stream; batch composition is irrelevant
};

enum class FinishReason { kStop, kLength, kChoice };

struct GenerationReply {
  std::vector<TokenId> tokens;  ///< the new ones, the stop token included
  /// Log-probability of each under the distribution it was drawn from: softmax(logits /
  /// temperature) over the allowed tokens of a trie (temperature 1 where greedy). A forced token has
  /// 0. Under a grammar or a filter: over the whole vocabulary.
  std::vector<float> logprobs;
  FinishReason finish = FinishReason::kStop;
};

class GenerationQueue;  // generation_queue.h

/// Thread safety: calls must not overlap; implementations may use threads inside.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  /// Replies in the order of the requests. Sessions within one call are distinct (0 apart).
  virtual std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) = 0;
  /// To ask one by one and take the replies as they come; one queue at a time. By default what was submitted is
  /// answered by one generate().
  virtual std::unique_ptr<GenerationQueue> open_queue();
  /// Forgets what is cached for these sessions; unknown ones are ignored.
  virtual void release(std::span<const std::uint64_t> sessions) = 0;
  [[nodiscard]] virtual const Tokenizer& tokenizer() const = 0;
  /// Longest context plus reply it can hold, in tokens.
  [[nodiscard]] virtual std::size_t max_context_tokens() const = 0;
  /// Names weights and their version, e.g. "nano@1f3c/step-12"; stored with what it says.
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace dreamgym
