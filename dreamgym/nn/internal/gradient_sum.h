// The sum of numbered micro-batches' gradients, the same whatever order they are computed in.
//
// Gradients are added part by part (each layer, and what is not in a layer; of an adapter all at
// once), within a part strictly in the order of the numbers, so that a micro-batch holds one layer's
// gradients and not the model's. One that is early waits: as a copy as long as there is room for it,
// else for its turn. Micro-batches must be begun in the order of their numbers.
// Thread safety: GradientSum any thread; a MicroBatch one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/network.h"

namespace dreamgym::internal {

/// Bytes of gradients that may be waiting for earlier ones.
inline constexpr std::size_t kWaitingGradientBytes = 64ULL << 20U;

/// Floats of gradients a micro-batch holds at once where the weights are trained.
std::size_t largest_gradient_parts(const ParameterLayout& layout);

class GradientSum {
 public:
  /// @param layout   of the model.
  /// @param adapter  floats of an adapter's array, or 0: the weights are trained.
  /// @param total    [layout.count], or [adapter]; added to.
  GradientSum(const ParameterLayout& layout, std::size_t adapter, float* total);

  /// This micro-batch's gradients will never come: later ones throw, earlier ones go on.
  void fail(std::size_t number);

  class MicroBatch final : public GradientSink {
   public:
    /// Borrows the sum.
    MicroBatch(GradientSum& sum, std::size_t number);
    NetworkGradients of_layer(std::size_t layer) override;
    void layer_done(std::size_t layer) override;
    NetworkGradients of_embedding() override;
    NetworkGradients of_rest() override;
    /// Adds what is left, and nothing for parts that were not asked for.
    /// @throws LogicError after fail() of an earlier one, as layer_done() does.
    void finish();

   private:
    GradientSum& sum_;
    std::size_t number_;
    std::size_t num_layers_added_ = 0;
    FloatBuffer layer_;    ///< of the one under way
    FloatBuffer outside_;  ///< embedding, then the rest; of an adapter all
  };

 private:
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;  ///< begin and end in the total
  /// What is added as one: its ranges lie one after the other in a buffer.
  struct Part {
    Ranges ranges;
    std::size_t count = 0;
    std::size_t next = 0;  ///< number of the micro-batch whose turn it is
    std::map<std::size_t, FloatBuffer> waiting;
  };

  [[nodiscard]] std::size_t outside() const { return parts_.size() - 1; }
  FloatBuffer take(std::size_t part);
  /// A buffer without memory adds nothing.
  void add(std::size_t part, std::size_t number, FloatBuffer gradient);
  void add_now(Part& part, FloatBuffer gradient);

  float* total_;
  bool of_adapter_;
  std::vector<Part> parts_;  ///< the layers, then what is outside them
  std::mutex mutex_;
  std::condition_variable turn_;
  std::vector<FloatBuffer> free_;
  std::size_t waiting_bytes_ = 0;
  std::size_t first_failed_ = static_cast<std::size_t>(-1);
};

}  // namespace dreamgym::internal
