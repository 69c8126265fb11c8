// Where the rows of a pass lie: in their sequences, in the cache, and side by side in attention.
//
// Everything is found on the host and goes to the device as one array of integers.
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dreamgym/llm/checkpoint/transformer_config.h"
#include "dreamgym/nn/engine/forward_pass.h"

namespace dreamgym::internal {

/// Sequences with equally many new tokens, padded to the longest cache among them.
struct AttentionGroup {
  std::int64_t num_sequences = 0;
  std::int64_t num_tokens = 0;  ///< new ones of each
  std::int64_t num_blocks = 0;  ///< of each, padding included
  at::Tensor rows;              ///< [num_sequences * num_tokens] rows of the pass
  at::Tensor blocks;            ///< [num_sequences * num_blocks] in the cache; where it pads, any one
  /// [num_sequences, 1, heads that share keys * num_tokens, keys]: 0 where a query sees a key, -infinity
  /// where it does not; of the cache's type.
  at::Tensor mask;
};

struct Placement {
  std::int64_t num_rows = 0;
  at::Tensor tokens;          ///< [num_rows]
  at::Tensor positions;       ///< [num_rows]
  at::Tensor written_rows;    ///< rows whose keys and values are not there yet
  at::Tensor written_blocks;  ///< their blocks
  at::Tensor written_lanes;   ///< and places in them
  at::Tensor output_rows;     ///< rows that are asked for
  /// [taps, num_rows]: what each tap of a row looks at, in {the tails of all parts, the rows}.
  at::Tensor looked_at;  ///< undefined without convolutions
  std::vector<AttentionGroup> groups;
};

/// Makes room in the sequences for their new tokens.
/// @param cache_type  of keys and values.
/// @throws Error kInvalidArgument for a token that the model does not know.
Placement place_parts(std::span<const engine::PassPart> parts,
                      const TransformerConfig& config,
                      at::Device device,
                      at::ScalarType cache_type);

}  // namespace dreamgym::internal
