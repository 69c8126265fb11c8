#include "dreamgym/nn/trainable_model.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/network.h"
#include "dreamgym/nn/internal/optimizer.h"
#include "dreamgym/nn/internal/parameter_layout.h"
#include "dreamgym/nn/internal/require_plain_architecture.h"

namespace dreamgym {
namespace {

using internal::FloatBuffer;
using internal::Workspace;

// Adds numbered gradients to a total strictly in number order, whichever is ready first.
// Thread safety: all members may be called from any thread.
class OrderedSum {
 public:
  OrderedSum(float* total, std::size_t count) : total_(total), count_(count) {}

  /// A zeroed gradient.
  FloatBuffer take() {
    FloatBuffer buffer;
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        buffer = std::move(free_.back());
        free_.pop_back();
      }
    }
    std::fill_n(buffer.ensure(count_), count_, 0.0F);
    return buffer;
  }

  void add(std::size_t number, FloatBuffer gradient) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(number, std::move(gradient));
    for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
      internal::train_kernels().add_scaled(1.0F, first->second.data(), total_, count_);
      free_.push_back(std::move(first->second));
      waiting_.erase(first);
      ++next_;
    }
  }

 private:
  float* total_;
  std::size_t count_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::map<std::size_t, FloatBuffer> waiting_;
  std::vector<FloatBuffer> free_;
};

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

}  // namespace

struct TrainableModel::Impl {
  Impl(const TransformerWeights& initial, std::size_t threads)
      : config(initial.config),
        layout(internal::parameter_layout(config)),
        num_threads(std::max<std::size_t>(1, threads)),
        weights(layout.count),
        gradient(layout.count),
        optimizer(layout.count) {
    std::fill_n(weights.data(), layout.count, 0.0F);
    std::fill_n(gradient.data(), layout.count, 0.0F);
    internal::copy_in(layout, initial, weights.data());
    optimizer.num_threads = num_threads;
  }

  TransformerConfig config;
  internal::ParameterLayout layout;
  std::size_t num_threads;
  FloatBuffer weights;
  FloatBuffer gradient;
  internal::Optimizer optimizer;
  WorkspacePool workspaces;
};

TrainableModel::TrainableModel(TransformerWeights weights, std::size_t num_threads) {
  validate(weights.config, "model \"" + weights.version + "\"");
  internal::require_plain_architecture(weights.config, "the trainer");
  impl_ = std::make_unique<Impl>(weights, num_threads);
}

TrainableModel::~TrainableModel() = default;
TrainableModel::TrainableModel(TrainableModel&&) noexcept = default;
TrainableModel& TrainableModel::operator=(TrainableModel&&) noexcept = default;

const TransformerConfig& TrainableModel::config() const {
  return impl_->config;
}

std::size_t TrainableModel::num_threads() const {
  return impl_->num_threads;
}

TransformerWeights TrainableModel::weights(const std::string& version) const {
  TransformerWeights copy{impl_->config, {}, version};
  internal::copy_out(impl_->layout, impl_->weights.data(), copy);
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
  return parallel_map(batches.size(), impl_->num_threads, [&](std::size_t index) {
    const internal::SingleThread single;
    auto workspace = impl_->workspaces.take();
    internal::Network network(impl_->config, impl_->layout, impl_->weights.data());
    auto scores = network.forward(batches[index], *workspace, false);
    impl_->workspaces.give_back(std::move(workspace));
    return scores;
  });
}

std::vector<std::vector<TokenScore>> TrainableModel::accumulate(
    std::span<const PackedBatch> batches, const LossGradient& loss) {
  OrderedSum sum(impl_->gradient.data(), impl_->layout.count);
  try {
    return parallel_map(batches.size(), impl_->num_threads, [&](std::size_t index) {
      const internal::SingleThread single;
      auto workspace = impl_->workspaces.take();
      internal::Network network(impl_->config, impl_->layout, impl_->weights.data());
      auto scores = network.forward(batches[index], *workspace, true);
      const std::vector<TokenGradient> gradients = loss(index, scores);
      check(gradients.size() == scores.size(), "the loss gives a gradient for each query");
      FloatBuffer gradient = sum.take();
      network.backward(gradients, *workspace, gradient.data());
      sum.add(index, std::move(gradient));
      impl_->workspaces.give_back(std::move(workspace));
      return scores;
    });
  } catch (...) {
    discard_gradients();  // some micro-batches may have been added, others not
    throw;
  }
}

UpdateResult TrainableModel::update(const OptimizerConfig& config, double scale) {
  const UpdateResult result = impl_->optimizer.step(
      config, scale, impl_->layout, impl_->weights.data(), impl_->gradient.data());
  discard_gradients();
  return result;
}

void TrainableModel::discard_gradients() {
  std::fill_n(impl_->gradient.data(), impl_->layout.count, 0.0F);
}

std::string TrainableModel::optimizer_state() const {
  return impl_->optimizer.state();
}

void TrainableModel::set_optimizer_state(const std::string& bytes) {
  impl_->optimizer.set_state(bytes);
}

}  // namespace dreamgym
