#include "dreamgym/replay/internal/diversity.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dreamgym::replay_internal {

std::vector<std::size_t> choose_diverse(std::span<const double> similarities,
                                        const std::vector<std::vector<float>>& vectors,
                                        std::size_t k,
                                        double diversity) {
  std::vector<std::size_t> chosen;
  std::vector<bool> taken(similarities.size(), false);
  std::vector<double> likeness(similarities.size(), 0.0);  // to the most alike of the chosen
  while (chosen.size() < std::min(k, similarities.size())) {
    std::size_t best = similarities.size();
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < similarities.size(); ++i) {
      const double value =
          chosen.empty() ? similarities[i] : (1 - diversity) * similarities[i] - diversity * likeness[i];
      if (!taken[i] && value > best_value) {
        best = i;
        best_value = value;
      }
    }
    taken[best] = true;
    chosen.push_back(best);
    for (std::size_t i = 0; i < similarities.size(); ++i) {
      const double alike =
          std::inner_product(vectors[i].begin(), vectors[i].end(), vectors[best].begin(), 0.0);
      likeness[i] = chosen.size() == 1 ? alike : std::max(likeness[i], alike);
    }
  }
  return chosen;
}

}  // namespace dreamgym::replay_internal
