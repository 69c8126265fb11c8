// What a KL term compares a policy with: the policy as it was when its training began.
//
// Where all weights are trained that is a copy of them; under an adapter it is the frozen weights
// below it, shared, so that a reference costs no memory.
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
  /// The policy's frozen weights. @throws LogicError unless it trains an adapter.
  explicit ReferencePolicy(const TrainableModel* policy);
  /// A copy of the policy with these weights (weight_bytes), or its frozen ones under an adapter.
  static ReferencePolicy of(const TrainableModel& policy, const std::string& bytes);

  /// Scores of every query, one vector per micro-batch.
  [[nodiscard]] std::vector<std::vector<TokenScore>> score(
      std::span<const PackedBatch> batches) const;

 private:
  std::unique_ptr<TrainableModel> own_;
  const TrainableModel* shared_ = nullptr;
};

}  // namespace dreamgym
