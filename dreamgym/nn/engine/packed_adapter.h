// A LoRA adapter in the layout the kernels read, computed beside a model's packed matrices.
//
// A product y = W x becomes y + scale * B (A x). The terms of one product are taken together: one
// matrix holds their A's rows one after the other, another their B's, each over the depths of its own
// A and with the scale in it. Both in fp32, whatever the model's numbers are, so that an adapter that
// has just been trained is sampled from as it is. Immutable once packed.
// Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <vector>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/nn/engine/packed_matrix.h"

namespace dreamgym::engine {

/// What an adapter adds to one product.
struct PackedTerms {
  PackedMatrix inner;  ///< A: [ranks of all terms, depth of the product]
  PackedMatrix outer;  ///< scale * B: columns as the product's, depth = ranks of all terms
  [[nodiscard]] bool empty() const { return inner.num_panels == 0; }
};

struct PackedLayerTerms {
  PackedTerms query_key_value;
  PackedTerms attention_out;
  PackedTerms gate_up;  ///< columns as gate_column() says
  PackedTerms down;
};

struct PackedAdapter {
  std::vector<PackedLayerTerms> layers;  ///< of every layer, or none
  std::size_t inner_columns = 0;         ///< the most of any `inner`
};

/// @throws Error kInvalidArgument for an adapter that fits no projection of the model.
PackedAdapter pack_adapter(const LoraAdapter& adapter, const TransformerConfig& config);

}  // namespace dreamgym::engine
