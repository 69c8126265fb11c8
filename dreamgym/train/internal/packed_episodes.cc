#include "dreamgym/train/internal/packed_episodes.h"

namespace dreamgym::internal {

PackedEpisodes pack_with_places(std::span<const Episode* const> episodes, std::size_t max_tokens) {
  PackedEpisodes out;
  out.played = pack_episodes(episodes, max_tokens);
  for (std::size_t b = 0; b < out.played.batches.size(); ++b) {
    auto& places = out.of_batch.emplace_back();
    for (std::size_t q = 0; q < out.played.episode[b].size(); ++q) {
      const std::size_t episode = out.played.episode[b][q];
      if (places.empty() || places.back().episode != episode) {
        places.push_back({.episode = episode, .batch = b, .begin = q, .count = 0});
      }
      ++places.back().count;
    }
    out.places.insert(out.places.end(), places.begin(), places.end());
  }
  return out;
}

BatchCounts counts_of(const PackedEpisodes& packed) {
  std::vector<std::size_t> lengths;
  for (const EpisodePlace& place : packed.places) {
    lengths.push_back(place.count);
  }
  return count_batch(lengths);
}

}  // namespace dreamgym::internal
