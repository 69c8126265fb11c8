// The weights of a transformer, and of an adapter beside them, as tensors on a device of libtorch.
//
// Thread safety: const members are reentrant.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym::internal {

/// What precedes attention or the MLP.
struct TorchInput {
  at::Tensor norm;         ///< [hidden]
  at::Tensor convolution;  ///< [taps, hidden]; undefined without one
};

struct TorchLayer {
  TorchInput attention_input;
  at::Tensor query_key_value;  ///< [query, key and value heads' rows, hidden]
  at::Tensor bias;             ///< [its rows]; undefined without biases
  at::Tensor query_norm;       ///< [head_dim]; undefined without normalised heads
  at::Tensor key_norm;         ///< the same
  at::Tensor attention_out;    ///< [hidden, query heads' columns]
  TorchInput mlp_input;
  at::Tensor gate_up;  ///< [gate's rows, then up's, hidden]
  at::Tensor down;     ///< [hidden, intermediate]
};

/// What an adapter adds to one product: outer (inner x). Both undefined where it adds nothing.
struct TorchTerms {
  at::Tensor inner;  ///< A: [ranks of all terms, depth of the product]
  at::Tensor outer;  ///< scale * B: [rows of the product, ranks of all terms]
};

struct TorchLayerTerms {
  TorchTerms query_key_value;
  TorchTerms attention_out;
  TorchTerms gate_up;
  TorchTerms down;
};

struct TorchTransformer {
  TransformerConfig config;
  at::Device device = at::kCPU;
  at::Tensor embeddings;  ///< [vocab_size, hidden], fp32
  at::Tensor head;        ///< the same; if tied, the same tensor
  at::Tensor final_norm;  ///< [hidden]
  std::vector<TorchLayer> layers;
  std::vector<TorchLayerTerms> adapter;  ///< of every layer, or none
  at::Tensor cosines;                    ///< [max_position, head_dim / 2]
  at::Tensor sines;                      ///< the same
};

/// @param type  kFloat or kBFloat16: of the layers' matrices. Embeddings, head, norms and biases are fp32, a
///              head (and so tied embeddings) of numbers rounded to the type.
/// @throws Error kUnsupported for a shape the engine can't run or a lack of memory, kInvalidArgument for
///         arrays that are missing or of another shape than the config says.
TorchTransformer torch_transformer(const TransformerWeights& weights,
                                   at::Device device,
                                   at::ScalarType type);

/// In fp32. @throws Error kInvalidArgument for an adapter that fits no projection of the model.
std::vector<TorchLayerTerms> torch_adapter(const LoraAdapter& adapter,
                                           const TransformerConfig& config,
                                           at::Device device);

}  // namespace dreamgym::internal
