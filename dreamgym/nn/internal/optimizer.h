// AdamW (decoupled weight decay) and Muon over the flat parameter array.
//
// Muon: hidden matrices step along their orthogonalised Nesterov momentum; everything else is
// AdamW's. Norm gains and convolution taps do not decay.
// Thread safety: none; step() uses threads inside, one parameter each, so results do not depend on
// their number.
// Source: Keller Jordan's Muon (2024); Loshchilov and Hutter, AdamW (2019).
#pragma once

#include <string>

#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/parameter_layout.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym::internal {

class Optimizer {
 public:
  explicit Optimizer(std::size_t count);

  /// Clips by the global norm and steps. A gradient that is not finite changes nothing.
  UpdateResult step(const OptimizerConfig& config,
                    double scale,
                    const ParameterLayout& layout,
                    float* weights,
                    const float* gradient);

  std::size_t num_threads = 1;

  [[nodiscard]] std::string state() const;
  /// @throws Error kCorrupt if the bytes are not a state of as many parameters.
  void set_state(const std::string& bytes);

 private:
  /// Zero moments and steps.
  void forget();
  [[nodiscard]] bool is_fresh() const { return first_.data() == nullptr; }

  std::size_t count_ = 0;
  OptimizerKind kind_ = OptimizerKind::kAdamW;
  std::uint64_t num_steps_ = 0;
  // Nothing before the first step: who only scores needs none.
  FloatBuffer first_;   ///< first moment; Muon's momentum for its matrices
  FloatBuffer second_;  ///< second moment; unused for Muon's matrices
};

/// Five Newton-Schulz steps (3.4445, -4.7750, 2.0315) towards the nearest orthogonal matrix of
/// `matrix` [rows, columns], in place.
void orthogonalize(std::size_t rows, std::size_t columns, float* matrix);

}  // namespace dreamgym::internal
