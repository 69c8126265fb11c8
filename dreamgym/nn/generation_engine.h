// Batched generation with a KV cache: the native LanguageModel that rollouts live on.
//
// Own packed kernels (nn/kernels), picked at run time for AVX-512, AVX2 and plain. Every output
// element is accumulated in one fixed order, so a request's reply does not depend on batch
// composition or threads, bit for bit. On a device of libtorch (EngineConfig::device) that promise is not
// given: log-probabilities agree with our kernels', and from batch to batch, within 1e-4 in fp32. A session keeps keys, values and convolution tails of what it has read; a
// request whose context starts with that only computes the rest, and one that departs from it goes
// back to the last remembered point before the departure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

namespace engine {
class EngineCore;
}

struct EngineConfig {
  std::size_t num_threads = 1;
  std::size_t prefill_chunk_tokens = 64;  ///< rows computed at once while reading a context
  std::size_t cache_budget_bytes =
      1ULL << 30;  ///< beyond it the least recently used sessions are dropped
  /// "fp32", "bf16" (exact for checkpoints stored so) or "int8" (a scale for 32 neighbours of a row).
  std::string weights = "fp32";
  /// Keys and values: "fp32", "bf16", or as large "int16" (a scale for each head of a token), which is some
  /// 40 times nearer to fp32.
  std::string cache = "fp32";
  /// "amx", "avx512", "avx2" or "plain"; "" = what DREAMGYM_KERNELS says, or else the fastest here.
  /// On AMX, bf16 weights meet 16 bits of the activations' 24.
  std::string kernels{};
  /// "" = our own kernels on the CPU; else a device of libtorch, whose operations compute instead:
  /// "torch:cpu", "cuda" (the first NVIDIA GPU) or "cuda:1". There weights and cache are fp32 or bf16, one pass
  /// runs at a time (num_threads are libtorch's, on the CPU) and `kernels` only sample.
  std::string device{};
};

struct EngineCounters {
  std::uint64_t prefill_tokens = 0;  ///< context tokens computed
  std::uint64_t reused_tokens = 0;   ///< context tokens found in the cache
  std::uint64_t sampled_tokens = 0;
  std::uint64_t forced_tokens = 0;  ///< tokens a trie left no choice about
};

/// Log-probabilities are at temperature 1.
struct SequenceScore {
  std::vector<float> logprobs;     ///< [tokens - 1] of each token after the first, given those before
  std::vector<float> last_logits;  ///< [vocab_size] of what follows the last
};

/// Thread safety: as LanguageModel.
class GenerationEngine final : public LanguageModel {
 public:
  /// @throws Error kInvalidArgument for numbers, kernels or a device of an unknown name, 0 threads or tokens of a
  /// chunk, and arrays that are not as the weights' config says; kUnsupported for a shape the engine can't run,
  /// kernels or a device this machine does not have, and numbers the device does not take.
  GenerationEngine(const TransformerWeights& weights,
                   std::shared_ptr<const Tokenizer> tokenizer,
                   EngineConfig config);
  ~GenerationEngine() override;

  /// New weights of the same shape, without an adapter; every cached session is dropped.
  /// @throws Error kInvalidArgument if the shape differs.
  void set_weights(const TransformerWeights& weights);
  /// What is added to the weights from now on, instead of an adapter before it; every cached session is
  /// dropped. It is computed beside them in fp32, whatever their numbers are, and they are not packed
  /// again. @param version  of weights and adapter together.
  /// @throws Error kInvalidArgument for an adapter that fits no projection of the model.
  void set_adapter(const LoraAdapter& adapter, std::string version);

  /// The reply ends early (kLength) where context and reply reach max_context_tokens().
  /// @throws Error kInvalidArgument for a context that is empty, leaves no room for a reply or
  /// holds unknown tokens, for kept_tokens past it, a temperature that is negative, not finite or
  /// below 1e-6 (0 apart), a filter out of range, stop texts without a tokenizer, and a session
  /// named twice; kDiverged if the model's logits are not
  /// finite.
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  /// Replies come from a running batch (running_batch.h).
  std::unique_ptr<GenerationQueue> open_queue() override;
  /// What the model says of a given sequence; nothing of it is kept.
  /// @throws Error kInvalidArgument for a sequence that is empty, longer than max_context_tokens() or
  /// holds unknown tokens; kDiverged if the model's logits are not finite.
  [[nodiscard]] SequenceScore score(std::span<const TokenId> tokens);
  void release(std::span<const std::uint64_t> sessions) override;
  [[nodiscard]] const Tokenizer& tokenizer() const override;
  [[nodiscard]] std::size_t max_context_tokens() const override;
  [[nodiscard]] std::string version() const override;

  [[nodiscard]] EngineCounters counters() const;
  [[nodiscard]] std::size_t cache_bytes() const;

 private:
  friend class RunningBatch;
  std::unique_ptr<engine::EngineCore> core_;
};

}  // namespace dreamgym
