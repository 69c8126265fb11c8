// Where LoRA's matrices lie in one flat array, and which weights they add to.
//
// An adapted weight is W + scale * B * A with A [rank, in] and B [out, rank]; names are PEFT's.
// Pure. Thread safety: values.
#pragma once

#include <vector>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/nn/internal/parameter_layout.h"

namespace dreamgym::internal {

/// What one pair adds to a product whose weight is a block of several matrices.
struct LowRankTerm {
  std::size_t first_column = 0;  ///< of the product's output
  std::size_t out = 0;
  std::size_t in = 0;
  std::size_t a = 0;  ///< offset of A in the adapter's array
  std::size_t b = 0;  ///< offset of B
};

/// The terms of a layer's four products.
struct LayerTerms {
  std::vector<LowRankTerm> query_key_value;
  std::vector<LowRankTerm> attention_out;
  std::vector<LowRankTerm> gate_up;
  std::vector<LowRankTerm> down;
};

struct AdapterLayout {
  ParameterLayout flat;  ///< parameters and count only
  std::vector<LayerTerms> layers;
  std::size_t rank = 0;
  float scale = 1.0F;
};

/// @throws Error kInvalidArgument for a pair that belongs to no matrix of the layers or is of
///         another shape, or an adapter without pairs.
AdapterLayout adapter_layout(const LoraAdapter& adapter, const TransformerConfig& config);

/// @param flat  [layout.flat.count]
void copy_in(const LoraAdapter& adapter, const AdapterLayout& layout, float* flat);
/// Writes the pairs' values; shapes and names stay.
void copy_out(const AdapterLayout& layout, const float* flat, LoraAdapter& adapter);

}  // namespace dreamgym::internal
