// Tasks that ask for much the same, as one group: for algorithms whose episodes have no siblings (paper 4.2: for PPO,
// tasks are clustered by a semantic embedder and each cluster is a group).
//
// Leaders: in their order, a task joins the first cluster whose leader's instruction is similar enough, else it leads
// one of its own. Only original tasks lead; a generated one joins the most similar cluster, so nothing has to be kept
// in a checkpoint.
// Thread safety: cluster_of() must not overlap.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/llm/embedder.h"

namespace dreamgym {

class TaskClusters {
 public:
  /// @param embedder    borrowed.
  /// @param similarity  cosine of the instructions' embeddings from which two tasks are of one cluster, in (0, 1].
  /// @throws LogicError for another similarity, or without tasks.
  TaskClusters(const Embedder& embedder, double similarity, const std::vector<Task>& original);

  /// Number of the task's cluster.
  std::size_t cluster_of(const Task& task);
  [[nodiscard]] std::size_t size() const { return leaders_.size(); }

 private:
  [[nodiscard]] std::size_t most_similar(const std::vector<float>& vector) const;

  const Embedder& embedder_;
  std::vector<std::vector<float>> leaders_;
  std::map<std::string, std::size_t> known_;  // by instruction
};

}  // namespace dreamgym
