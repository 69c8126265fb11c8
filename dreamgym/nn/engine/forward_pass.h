// One forward pass over new tokens of several sequences at once, whatever computes it.
//
// Thread safety: none; one per thread. Lifetime: the model behind it outlives the pass.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/llm/checkpoint/transformer_config.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/nn/engine/cached_sequence.h"

namespace dreamgym::engine {

/// New tokens of one sequence, computed together.
struct PassPart {
  CachedSequence* sequence = nullptr;
  std::span<const TokenId> tokens;  ///< not empty
  std::size_t num_outputs = 0;      ///< of its last tokens: what follows them is asked for
};

/// @throws Error kInvalidArgument for an id the model does not know.
void check_token(TokenId token, const TransformerConfig& config);

class ForwardPass {
 public:
  virtual ~ForwardPass() = default;

  /// Most tokens of one call of run().
  [[nodiscard]] virtual std::size_t max_rows() const = 0;
  /// Computes the parts (each of another sequence) and appends them to their sequences. Outputs are
  /// numbered in the order of the parts and their tokens.
  virtual void run(std::span<const PassPart> parts) = 0;
  /// Logits of outputs [first, first + count), each [logits_stride()], valid until the next call. Host memory.
  virtual const float* logits(std::size_t first, std::size_t count) = 0;
  /// At least the size of the vocabulary, in floats.
  [[nodiscard]] virtual std::size_t logits_stride() const = 0;
  /// The logits of these tokens alone. @param logits  one for each of them, overwritten.
  virtual void token_logits(std::size_t output,
                            std::span<const TokenId> tokens,
                            std::vector<float>& logits) = 0;
};

}  // namespace dreamgym::engine
