// What tests of training teach a tiny transformer: to say random tokens again.
//
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym::internal {

inline TransformerConfig tiny_config() {
  TransformerConfig config;
  config.vocab_size = 24;
  config.hidden_size = 32;
  config.num_layers = 2;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 16;
  config.intermediate_size = 64;
  config.max_position = 128;
  return config;
}

// Random tokens, a mark, and the same tokens again; the second half is asked for.
inline PackedBatch copy_batch(Rng& rng, std::size_t num_sequences, std::size_t num_copied) {
  PackedBatch batch;
  for (std::size_t sequence = 0; sequence < num_sequences; ++sequence) {
    std::vector<TokenId> tokens;
    for (std::size_t i = 0; i < num_copied; ++i) {
      tokens.push_back(static_cast<TokenId>(1 + rng.below(20)));
    }
    tokens.push_back(0);
    tokens.insert(
        tokens.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(num_copied));
    const auto segment = batch.add_segment(tokens);
    for (std::size_t i = num_copied + 1; i < tokens.size(); ++i) {
      batch.add_query(segment, static_cast<std::uint32_t>(i));
    }
  }
  return batch;
}

inline std::vector<PackedBatch> copy_batches(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<PackedBatch> batches;
  for (std::size_t i = 0; i < count; ++i) {
    batches.push_back(copy_batch(rng, 2 + i % 3, 6));
  }
  return batches;
}

// Loss = -sum of log-probabilities / count.
inline LossGradient cross_entropy(double count) {
  return [count](std::size_t, std::span<const TokenScore> scores) {
    return std::vector<TokenGradient>(scores.size(), {static_cast<float>(-1.0 / count), 0.0F});
  };
}

inline OptimizerConfig muon() {
  OptimizerConfig config;
  config.kind = OptimizerKind::kMuon;
  config.learning_rate = 3e-3;
  return config;
}

// On every projection.
inline LoraAdapter small_adapter() {
  LoraAdapter adapter;
  adapter.rank = 4;
  adapter.alpha = 8;
  adapter.target_modules = {"down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj"};
  return initial_lora(tiny_config(), adapter, 5);
}

inline void train_to_copy(TrainableModel& model, std::uint64_t first_seed, int num_steps) {
  for (int step = 0; step < num_steps; ++step) {
    const auto batches = copy_batches(first_seed + static_cast<std::uint64_t>(step), 5);
    model.accumulate(batches, cross_entropy(60));
    model.update(muon());
  }
}

}  // namespace dreamgym::internal
