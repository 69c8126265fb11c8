// Packed episodes, and where the queries of each lie.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/train/loss_aggregation.h"
#include "dreamgym/train/packing.h"

namespace dreamgym::internal {

/// The queries of one episode; they lie side by side in one micro-batch, in the order of its chosen
/// tokens.
struct EpisodePlace {
  std::size_t episode = 0;  ///< index among those packed
  std::size_t batch = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
};

struct PackedEpisodes {
  PlayedBatches played;
  std::vector<EpisodePlace> places;                 ///< in the order of the batches
  std::vector<std::vector<EpisodePlace>> of_batch;  ///< the same, by batch
};

/// Episodes without a chosen token have no place.
PackedEpisodes pack_with_places(std::span<const Episode* const> episodes, std::size_t max_tokens);

/// What loss_divisor() needs of them.
BatchCounts counts_of(const PackedEpisodes& packed);

}  // namespace dreamgym::internal
