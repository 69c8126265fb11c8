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

/// The chosen tokens of one context of an episode. Their queries lie side by side in one
/// micro-batch.
struct SamplePlace {
  std::size_t episode = 0;  ///< index among those packed
  std::size_t first = 0;    ///< of the episode's chosen tokens
  std::size_t batch = 0;
  std::size_t begin = 0;    ///< query of the batch
  std::size_t count = 0;    ///< >= 1
};

/// Micro-batches of played episodes, one query per trainable token.
struct PlayedBatches {
  std::vector<PackedBatch> batches;
  /// In the order of the batches; those of one episode in the order of its turns. Contexts without a
  /// choice have none.
  std::vector<SamplePlace> places;
  std::vector<std::vector<float>> old_logprobs;     ///< [batch][query] at sampling
  std::size_t num_queries = 0;
  std::size_t num_tokens = 0;                       ///< computed: shared ones count once
};

/// Members of a group are packed side by side, and a context that begins as the one before it (the
/// group's prompt) computes only what follows.
PlayedBatches pack_episodes(std::span<const Episode* const> episodes, std::size_t max_tokens);

}  // namespace dreamgym
