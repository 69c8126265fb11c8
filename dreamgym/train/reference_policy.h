// What a KL term compares a policy with: the policy as it was when its training began.
//
// Where all weights are trained that is a copy of them; under an adapter it is the adapter as it was on
// the policy's own frozen weights, so that a reference costs no second copy of them.
// Thread safety: none; one call at a time. Lifetime: the policy outlives its shared reference.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

class ReferencePolicy {
 public:
  /// A model of its own.
  explicit ReferencePolicy(TrainableModel model);
  /// The policy as it was when it trained these values (trained_bytes). @throws Error kCorrupt if they
  /// are of another shape.
  static ReferencePolicy of(const TrainableModel& policy, const std::string& bytes);

  /// Scores of every query, one vector per micro-batch.
  [[nodiscard]] std::vector<std::vector<TokenScore>> score(
      std::span<const PackedBatch> batches) const;

 private:
  ReferencePolicy(const TrainableModel* policy, LoraAdapter adapter);

  std::unique_ptr<TrainableModel> own_;
  const TrainableModel* shared_ = nullptr;
  LoraAdapter adapter_;  // on the shared weights
};

}  // namespace dreamgym
