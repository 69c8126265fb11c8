// The shape of a transformer small enough to be taught in a test.
#pragma once

#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

inline TransformerConfig tiny_transformer() {
  TransformerConfig config;
  config.vocab_size = 24;
  config.hidden_size = 16;
  config.num_layers = 2;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 8;
  config.intermediate_size = 24;
  return config;
}

}  // namespace dreamgym
