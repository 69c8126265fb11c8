#include "dreamgym/train/reference_policy.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/model_state.h"

namespace dreamgym {

ReferencePolicy::ReferencePolicy(TrainableModel model)
    : own_(std::make_unique<TrainableModel>(std::move(model))) {}

ReferencePolicy::ReferencePolicy(const TrainableModel* policy) : shared_(policy) {
  check(policy->adapter().has_value(), "frozen weights are those below an adapter");
}

ReferencePolicy ReferencePolicy::of(const TrainableModel& policy, const std::string& bytes) {
  if (policy.adapter()) {
    return ReferencePolicy(&policy);
  }
  TransformerWeights start = policy.weights("reference");
  set_weight_bytes(start, bytes);
  TrainableModel frozen(std::move(start), policy.num_threads());
  frozen.set_compute(policy.compute());
  return ReferencePolicy(std::move(frozen));
}

std::vector<std::vector<TokenScore>> ReferencePolicy::score(
    std::span<const PackedBatch> batches) const {
  return own_ ? own_->score(batches) : shared_->score_frozen(batches);
}

}  // namespace dreamgym
