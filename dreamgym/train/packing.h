// From sequences and episodes to packed micro-batches of bounded size.
//
// Packing never depends on the number of threads, so neither do the results.
// Thread safety: pure functions.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/nn/packed_batch.h"
#include "dreamgym/rollout/play_episodes.h"

namespace dreamgym {

/// Micro-batches of taught sequences, with the weight and loss part of every query.
struct TaughtBatches {
  std::vector<PackedBatch> batches;
  std::vector<std::vector<float>> weights;    ///< [batch][query]
  std::vector<std::vector<LossPart>> parts;   ///< [batch][query]
  double total_weight = 0;
  std::size_t num_tokens = 0;                 ///< computed, branches included
};

/// Sequences in order; a micro-batch is closed before it would exceed max_tokens (a longer sequence
/// has one of its own). Sequences without a weighted token are left out.
TaughtBatches pack_sequences(std::span<const TrainingSequence* const> sequences,
                             std::size_t max_tokens);

/// Micro-batches of played episodes, one query per trainable token.
struct PlayedBatches {
  std::vector<PackedBatch> batches;
  std::vector<std::vector<std::size_t>> episode;    ///< [batch][query] index into the episodes given
  std::vector<std::vector<std::size_t>> turn;       ///< [batch][query] step of that episode
  std::vector<std::vector<float>> old_logprobs;     ///< [batch][query] at sampling
  std::size_t num_queries = 0;
  std::size_t num_tokens = 0;
};

PlayedBatches pack_episodes(std::span<const Episode* const> episodes, std::size_t max_tokens);

}  // namespace dreamgym
