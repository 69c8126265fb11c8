// What retrieval hands to the prompt.
#pragma once

#include <cstddef>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

/// As many dreamed demonstrations as are similar.
inline constexpr std::size_t kAnyDreamed = 1'000'000;

struct RetrievalOptions {
  std::size_t most_dreamed = kAnyDreamed;  ///< of the k transitions shown; 0 = real ones only
  double alike = 0.02;                     ///< of these similar ones, the one shown is drawn; 0 = the first
  double diversity = 0;                    ///< weight of not being like each other, in [0, 1); 0 = the most similar ones
};

/// For k demonstrations.
SearchOptions search_options(std::size_t k, const RetrievalOptions& options);

/// The same, with as many as there are to draw k from by drawn_alike() where the place itself does not answer k.
SearchOptions pool_options(std::size_t k, const RetrievalOptions& options);

/// Of a pool, most similar first, the k to show: what is known of the query's own place, then, one after the other, one
/// of those that are less similar than the best of the rest by at most `alike`. A model copies what it is shown: if the
/// first of many equals were shown every time, a drawer nobody has seen would hold the same in every house.
std::vector<ReplayHit> drawn_alike(std::vector<ReplayHit> pool, std::size_t k, double alike, Rng stream);

/// Most similar first becomes most similar last: closest to the query.
std::vector<Demonstration> to_demonstrations(const std::vector<ReplayHit>& hits);

}  // namespace dreamgym
