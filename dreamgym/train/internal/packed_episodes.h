// Packed episodes, the places of each micro-batch, and what a loss counts as its sequences.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/train/loss_aggregation.h"
#include "dreamgym/train/packing.h"

namespace dreamgym::internal {

struct PackedEpisodes {
  PlayedBatches played;
  std::vector<std::vector<SamplePlace>> of_batch;  ///< played.places, by batch
  std::vector<std::size_t> num_choices;            ///< [episodes] chosen tokens
};

PackedEpisodes pack_with_places(std::span<const Episode* const> episodes, std::size_t max_tokens);

/// What loss_divisor() needs: sequences are episodes, or contexts where `every_context` is set.
BatchCounts counts_of(const PackedEpisodes& packed, bool every_context);

}  // namespace dreamgym::internal
