#include "dreamgym/train/reference_policy.h"

#include <utility>

#include "dreamgym/train/model_state.h"

namespace dreamgym {

ReferencePolicy::ReferencePolicy(TrainableModel model)
    : own_(std::make_unique<TrainableModel>(std::move(model))) {}

ReferencePolicy::ReferencePolicy(const TrainableModel* policy, LoraAdapter adapter)
    : shared_(policy), adapter_(std::move(adapter)) {}

ReferencePolicy ReferencePolicy::of(const TrainableModel& policy, const std::string& bytes) {
  if (auto adapter = policy.adapter()) {
    set_adapter_bytes(*adapter, bytes);
    return {&policy, std::move(*adapter)};
  }
  TransformerWeights start = policy.weights("reference");
  set_weight_bytes(start, bytes);
  TrainableModel frozen(std::move(start), policy.num_threads());
  frozen.set_compute(policy.compute());
  return ReferencePolicy(std::move(frozen));
}

std::vector<std::vector<TokenScore>> ReferencePolicy::score(
    std::span<const PackedBatch> batches) const {
  return own_ ? own_->score(batches) : shared_->score_under(adapter_, batches);
}

}  // namespace dreamgym
