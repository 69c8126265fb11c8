#include "dreamgym/curriculum/task_clusters.h"

#include <algorithm>
#include <numeric>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TaskClusters::TaskClusters(const Embedder& embedder,
                           double similarity,
                           const std::vector<Task>& original)
    : embedder_(embedder) {
  check(!original.empty(), "at least one task");
  check(similarity > 0 && similarity <= 1, "a similarity in (0, 1]");
  for (const Task& task : original) {
    if (known_.contains(task.instruction)) {
      continue;
    }
    std::vector<float> vector = embedder_.embed(task.instruction);
    const auto leader = std::ranges::find_if(
        leaders_, [&](const std::vector<float>& one) { return cosine(one, vector) >= similarity; });
    known_[task.instruction] = static_cast<std::size_t>(leader - leaders_.begin());
    if (leader == leaders_.end()) {
      leaders_.push_back(std::move(vector));
    }
  }
}

std::size_t TaskClusters::most_similar(const std::vector<float>& vector) const {
  const auto best = std::ranges::max_element(
      leaders_, {}, [&](const std::vector<float>& leader) { return cosine(leader, vector); });
  return static_cast<std::size_t>(best - leaders_.begin());
}

std::size_t TaskClusters::cluster_of(const Task& task) {
  const auto known = known_.find(task.instruction);
  if (known != known_.end()) {
    return known->second;
  }
  return known_[task.instruction] = most_similar(embedder_.embed(task.instruction));
}

}  // namespace dreamgym
