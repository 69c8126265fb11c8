#include "dreamgym/train/internal/packed_episodes.h"

namespace dreamgym::internal {

PackedEpisodes pack_with_places(std::span<const Episode* const> episodes, std::size_t max_tokens) {
  PackedEpisodes out;
  out.played = pack_episodes(episodes, max_tokens);
  out.of_batch.resize(out.played.batches.size());
  out.num_choices.resize(episodes.size());
  for (const SamplePlace& place : out.played.places) {
    out.of_batch[place.batch].push_back(place);
    out.num_choices[place.episode] += place.count;
  }
  return out;
}

BatchCounts counts_of(const PackedEpisodes& packed, bool every_context) {
  if (!every_context) {
    return count_batch(packed.num_choices);
  }
  std::vector<std::size_t> lengths;
  for (const SamplePlace& place : packed.played.places) {
    lengths.push_back(place.count);
  }
  return count_batch(lengths);
}

}  // namespace dreamgym::internal
