#include "dreamgym/experience/retrieval.h"

#include <algorithm>
#include <utility>

namespace dreamgym {
namespace {

// Transitions the demonstrations are drawn from: as many places as a first look can be like.
constexpr std::size_t kPool = 64;

}  // namespace

SearchOptions search_options(std::size_t k, const RetrievalOptions& options) {
  SearchOptions search;
  search.k = k;
  search.diversity = options.diversity;
  search.include_dreamed = options.most_dreamed > 0;
  if (options.most_dreamed < k) {
    search.most_dreamed = options.most_dreamed;
  }
  return search;
}

SearchOptions pool_options(std::size_t k, const RetrievalOptions& options) {
  SearchOptions search = search_options(k, options);
  if (options.alike > 0 && options.diversity <= 0) {
    search.pool = kPool;
  }
  return search;
}

std::vector<ReplayHit> drawn_alike(std::vector<ReplayHit> pool, std::size_t k, double alike, Rng stream) {
  std::vector<ReplayHit> chosen;
  while (chosen.size() < k && !pool.empty()) {
    std::size_t index = 0;
    if (!pool.front().same_place) {
      const auto ends = std::ranges::find_if(pool, [&](const ReplayHit& hit) {
        return hit.similarity < pool.front().similarity - alike;
      });
      index = stream.below(static_cast<std::uint64_t>(ends - pool.begin()));
    }
    const auto drawn = pool.begin() + static_cast<std::ptrdiff_t>(index);
    chosen.push_back(std::move(*drawn));
    pool.erase(drawn);
  }
  return chosen;
}

std::vector<Demonstration> to_demonstrations(const std::vector<ReplayHit>& hits) {
  std::vector<Demonstration> shown;
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
    const StoredTransition& record = *hit->record;
    shown.push_back(
        {record.id, record.transition.action, record.transition.next_observation.text});
  }
  return shown;
}

}  // namespace dreamgym
