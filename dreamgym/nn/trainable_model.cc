#include "dreamgym/nn/trainable_model.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/nn/internal/adapter_layout.h"
#include "dreamgym/nn/internal/freed_memory.h"
#include "dreamgym/nn/internal/gradient_sum.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/network.h"
#include "dreamgym/nn/internal/optimizer.h"
#include "dreamgym/nn/internal/parameter_layout.h"

namespace dreamgym {
namespace {

using internal::FloatBuffer;
using internal::Workspace;

// Workspaces not in use. Thread safety: all members may be called from any thread.
class WorkspacePool {
 public:
  std::unique_ptr<Workspace> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<Workspace>();
    }
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

std::map<std::string, std::vector<std::int64_t>> shape_of(const LoraAdapter& adapter) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, pair] : adapter.pairs) {
    shapes[name] = pair.a.shape;
    shapes[name].insert(shapes[name].end(), pair.b.shape.begin(), pair.b.shape.end());
  }
  return shapes;
}

}  // namespace

struct TrainableModel::Impl {
  Impl(TransformerWeights initial, std::optional<LoraAdapter> its_adapter, std::size_t threads)
      : config(initial.config),
        layout(internal::parameter_layout(config)),
        adapter(std::move(its_adapter)),
        num_threads(std::max<std::size_t>(1, threads)),
        weights(layout.count) {
    std::fill_n(weights.data(), layout.count, 0.0F);
    internal::copy_in(layout, initial, weights.data());
    initial.arrays.clear();
    internal::return_freed_memory();
    if (adapter) {
      low_rank_layout = internal::adapter_layout(*adapter, config);
      std::fill_n(low_rank.ensure(trained().count), trained().count, 0.0F);
      internal::copy_in(*adapter, low_rank_layout, low_rank.data());
    }
    optimizer = internal::Optimizer(trained().count);
    optimizer.num_threads = num_threads;
  }

  [[nodiscard]] const internal::ParameterLayout& trained() const {
    return adapter ? low_rank_layout.flat : layout;
  }
  [[nodiscard]] internal::NetworkWeights network_weights() const {
    return {.base = weights.data(),
            .adapter = adapter ? &low_rank_layout : nullptr,
            .low_rank = low_rank.data(),
            .compute = compute};
  }
  /// Zeros the first time: who only scores needs none.
  float* ensure_gradient() {
    if (gradient.data() == nullptr) {
      std::fill_n(gradient.ensure(trained().count), trained().count, 0.0F);
    }
    return gradient.data();
  }
  void check_same_shape(const LoraAdapter& other) const {
    if (!adapter || other.scale() != adapter->scale() || shape_of(other) != shape_of(*adapter)) {
      throw Error(ErrorKind::kInvalidArgument,
                  "the adapter has another shape or scale than the one being trained");
    }
  }
  std::vector<std::vector<TokenScore>> score(std::span<const PackedBatch> batches,
                                             const internal::NetworkWeights& of) {
    return parallel_map(batches.size(), num_threads, [&](std::size_t index) {
      const internal::SingleThread single;
      auto workspace = workspaces.take();
      internal::Network network(config, layout, of);
      auto scores = network.forward(batches[index], *workspace, internal::Keep::kNothing);
      workspaces.give_back(std::move(workspace));
      return scores;
    });
  }

  TransformerConfig config;
  internal::ParameterLayout layout;
  std::optional<LoraAdapter> adapter;  // its values are those of low_rank
  internal::AdapterLayout low_rank_layout;
  std::size_t num_threads;
  FloatBuffer weights;
  FloatBuffer low_rank;
  FloatBuffer gradient;  // of what is trained
  internal::Optimizer optimizer{0};
  WorkspacePool workspaces;
  internal::Keep keep = internal::Keep::kAll;  // by accumulate()
  ComputeType compute = ComputeType::kFloat32;
};

TrainableModel::TrainableModel(TransformerWeights weights, std::size_t num_threads) {
  validate(weights.config, "model \"" + weights.version + "\"");
  impl_ = std::make_unique<Impl>(std::move(weights), std::nullopt, num_threads);
}

TrainableModel::TrainableModel(TransformerWeights weights,
                               LoraAdapter adapter,
                               std::size_t num_threads) {
  validate(weights.config, "model \"" + weights.version + "\"");
  impl_ = std::make_unique<Impl>(std::move(weights), std::move(adapter), num_threads);
}

TrainableModel::~TrainableModel() = default;
TrainableModel::TrainableModel(TrainableModel&&) noexcept = default;
TrainableModel& TrainableModel::operator=(TrainableModel&&) noexcept = default;

void TrainableModel::set_recompute(bool recompute) {
  impl_->keep = recompute ? internal::Keep::kInputs : internal::Keep::kAll;
}

void TrainableModel::set_compute(ComputeType type) {
  check(can_compute(type), "this machine has the instructions");
  impl_->compute = type;
}

ComputeType TrainableModel::compute() const {
  return impl_->compute;
}

const TransformerConfig& TrainableModel::config() const {
  return impl_->config;
}

std::size_t TrainableModel::num_threads() const {
  return impl_->num_threads;
}

TransformerWeights TrainableModel::weights(const std::string& version) const {
  TransformerWeights copy{impl_->config, {}, version};
  internal::copy_out(impl_->layout, impl_->weights.data(), copy);
  if (const auto now = adapter()) {
    merge_lora(*now, copy);
  }
  return copy;
}

void TrainableModel::set_weights(const TransformerWeights& weights) {
  if (!(weights.config == impl_->config)) {
    throw Error(ErrorKind::kInvalidArgument,
                "weights \"" + weights.version + "\" have another shape than the model");
  }
  internal::copy_in(impl_->layout, weights, impl_->weights.data());
}

std::vector<std::vector<TokenScore>> TrainableModel::score(
    std::span<const PackedBatch> batches) const {
  return impl_->score(batches, impl_->network_weights());
}

std::vector<std::vector<TokenScore>> TrainableModel::score_under(
    const LoraAdapter& adapter, std::span<const PackedBatch> batches) const {
  impl_->check_same_shape(adapter);
  FloatBuffer low_rank;
  std::fill_n(low_rank.ensure(impl_->trained().count), impl_->trained().count, 0.0F);
  internal::copy_in(adapter, impl_->low_rank_layout, low_rank.data());
  internal::NetworkWeights of = impl_->network_weights();
  of.low_rank = low_rank.data();
  return impl_->score(batches, of);
}

std::optional<LoraAdapter> TrainableModel::adapter() const {
  std::optional<LoraAdapter> now = impl_->adapter;
  if (now) {
    internal::copy_out(impl_->low_rank_layout, impl_->low_rank.data(), *now);
  }
  return now;
}

void TrainableModel::set_adapter(const LoraAdapter& adapter) {
  impl_->check_same_shape(adapter);
  internal::copy_in(adapter, impl_->low_rank_layout, impl_->low_rank.data());
}

std::vector<std::vector<TokenScore>> TrainableModel::accumulate(
    std::span<const PackedBatch> batches, const LossGradient& loss) {
  internal::GradientSum sum(impl_->layout,
                            impl_->adapter ? impl_->trained().count : 0,
                            impl_->ensure_gradient());
  const auto compute = [&](std::size_t index) {
    const internal::SingleThread single;
    auto workspace = impl_->workspaces.take();
    internal::Network network(impl_->config, impl_->layout, impl_->network_weights());
    auto scores = network.forward(batches[index], *workspace, impl_->keep);
    const std::vector<TokenGradient> gradients = loss(index, scores);
    check(gradients.size() == scores.size(), "the loss gives a gradient for each query");
    internal::GradientSum::MicroBatch micro_batch(sum, index);
    network.backward(gradients, *workspace, micro_batch);
    micro_batch.finish();
    impl_->workspaces.give_back(std::move(workspace));
    return scores;
  };
  try {
    return parallel_map(batches.size(), impl_->num_threads, [&](std::size_t index) {
      try {
        return compute(index);
      } catch (...) {
        sum.fail(index);
        throw;
      }
    });
  } catch (...) {
    discard_gradients();  // some micro-batches may have been added, others not
    throw;
  }
}

UpdateResult TrainableModel::update(const OptimizerConfig& config, double scale) {
  float* trained = (impl_->adapter ? impl_->low_rank : impl_->weights).data();
  const UpdateResult result =
      impl_->optimizer.step(config, scale, impl_->trained(), trained, impl_->ensure_gradient());
  discard_gradients();
  return result;
}

void TrainableModel::discard_gradients() {
  if (impl_->gradient.data() != nullptr) {
    std::fill_n(impl_->gradient.data(), impl_->trained().count, 0.0F);
  }
}

std::string TrainableModel::optimizer_state() const {
  return impl_->optimizer.state();
}

void TrainableModel::set_optimizer_state(const std::string& bytes) {
  impl_->optimizer.set_state(bytes);
}

}  // namespace dreamgym
