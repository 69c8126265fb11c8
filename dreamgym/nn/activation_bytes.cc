// How much memory a token of a training micro-batch takes, and a thread (trainable_model.h).
//
// Mirrors the buffers of internal/network.h; a test holds it against a real workspace.
#include "dreamgym/nn/internal/gradient_sum.h"
#include "dreamgym/nn/internal/head.h"
#include "dreamgym/nn/internal/network.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

std::size_t activation_bytes_per_token(const TransformerConfig& config, bool recompute) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t query_size = config.num_heads * config.head_dim;
  const std::int64_t row_size = query_size + 2 * config.num_kv_heads * config.head_dim;
  // Kept: input and middle, two inverse norms, projections, attention's output, log-sums, gate, up.
  const std::int64_t kept_of_layer =
      2 * hidden + 2 + row_size + query_size + config.num_heads + 2 * config.intermediate_size;
  // With normalised heads: queries and keys before their norm, and its inverses.
  const std::int64_t kept_heads =
      config.qk_norm ? (config.num_heads + config.num_kv_heads) * (config.head_dim + 1) : 0;
  // Shared by the layers: z, d_z, convolved, d_convolved, d_x and, past the last attention, last,
  // hidden, d_hidden, active, d_active; d_attention; d_query_key_value; the final inverse norm.
  const std::int64_t shared = 10 * hidden + query_size + row_size + 1;
  // One layer at a time, and the inputs of the others.
  const std::int64_t kept = recompute ? kept_of_layer + kept_heads + (config.num_layers - 1) * hidden
                                      : config.num_layers * (kept_of_layer + kept_heads);
  return static_cast<std::size_t>(kept + shared) * sizeof(float);
}

std::size_t training_bytes_per_thread(const TransformerConfig& config, std::size_t low_rank) {
  constexpr std::size_t kPackedBytes = 2200ULL << 10U;  // internal/blocked_product.h
  const auto vocab_size = static_cast<std::size_t>(config.vocab_size);
  const auto intermediate = static_cast<std::size_t>(config.intermediate_size);
  const std::size_t logits = internal::logits_chunk_rows(vocab_size) * vocab_size;
  const std::size_t mlp = internal::mlp_chunk_rows(intermediate) * 4 * intermediate;
  const std::size_t gradients =
      low_rank > 0 ? low_rank : internal::largest_gradient_parts(internal::parameter_layout(config));
  return (gradients + logits + mlp) * sizeof(float) + kPackedBytes;
}

}  // namespace dreamgym
