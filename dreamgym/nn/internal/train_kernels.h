// The element-wise parts of training, each fused into one pass over memory.
//
// Compiled for AVX-512, AVX2 and the baseline from one body (train_kernels_body.h) and picked at
// run time. Arrays are row-major fp32. Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dreamgym::internal {

/// Lengths of score rows are rounded up to this many floats; what lies past the end is ignored.
inline constexpr std::size_t kRowPadding = 16;

inline constexpr std::size_t padded(std::size_t count) {
  return (count + kRowPadding - 1) / kRowPadding * kRowPadding;
}

/// RMSNorm, then the causal depthwise convolution along each token's chain of predecessors:
/// z[t] = x[t] / rms(x[t]) * gain; out[t] = z[t] + sum_i taps[i] * z[t's (num_taps-1-i)-th before].
struct NormConvolution {
  std::size_t num_rows = 0;
  std::size_t width = 0;
  std::size_t num_taps = 0;
  float epsilon = 0;
  const float* gain = nullptr;                ///< [width]
  const float* taps = nullptr;                ///< [num_taps, width]
  const std::int32_t* predecessor = nullptr;  ///< [num_rows]; num_rows where there is none
};

/// z and d_z have one row more than x: zeros, read where there is no predecessor.
struct NormConvolutionForward {
  const float* x = nullptr;      ///< [rows, width]
  float* inverse_rms = nullptr;  ///< [rows], written
  float* z = nullptr;            ///< [rows + 1, width], written
  float* out = nullptr;          ///< [rows, width], written
};

struct NormConvolutionBackward {
  const float* x = nullptr;
  const float* inverse_rms = nullptr;
  const float* z = nullptr;      ///< as the forward pass left it
  const float* d_out = nullptr;  ///< [rows, width]
  float* d_z = nullptr;          ///< [rows + 1, width], scratch
  float* d_x = nullptr;          ///< [rows, width], added to
  float* d_gain = nullptr;       ///< [width], added to
  float* d_taps = nullptr;       ///< [num_taps, width], added to
};

/// Rotary positions, Hugging Face Llama's convention: element i turns with i + head_dim / 2.
struct Rotation {
  std::size_t num_rows = 0;
  std::size_t stride = 0;     ///< floats between rows
  std::size_t num_heads = 0;  ///< heads at the row's start that are turned
  std::size_t head_dim = 0;
  const float* cosine = nullptr;           ///< [positions, head_dim / 2]
  const float* sine = nullptr;             ///< [positions, head_dim / 2]
  const std::int32_t* position = nullptr;  ///< [rows]
  float direction = 1.0F;                  ///< -1 turns back (the gradient)
};

struct SwigluBackward {
  std::size_t num_rows = 0;
  std::size_t width = 0;
  const float* gate_up = nullptr;  ///< [rows, 2 width]
  const float* d_out = nullptr;    ///< [rows, width]
  float* out = nullptr;            ///< [rows, width], recomputed
  float* d_gate_up = nullptr;      ///< [rows, 2 width]
};

struct SoftmaxSum {
  float maximum = 0;
  float sum = 0;           ///< of exp(x - maximum)
  float weighted_sum = 0;  ///< of exp(x - maximum) * (x - maximum)
};

/// Row gradient of a softmax: p = exp(scores - log_sum); d_scores = p * (d_p - delta).
struct AttentionRow {
  float* scores = nullptr;  ///< in: scores, out: p; zeros from `valid` to `length`
  float* d_p = nullptr;     ///< in: gradient of p, out: gradient of the scores
  std::size_t valid = 0;
  std::size_t length = 0;
  float log_sum = 0;
  float delta = 0;
};

/// logits -> d logits for d logprob(target) and d entropy, except the target's own +logprob term:
/// -p / T * (d_logprob + d_entropy * (log p + entropy)).
struct HeadRow {
  float* logits = nullptr;
  std::size_t length = 0;
  float inverse_temperature = 1;
  float log_sum = 0;
  float d_logprob = 0;
  float d_entropy = 0;
  float entropy = 0;
};

struct AdamWStep {
  std::size_t count = 0;
  float* weights = nullptr;
  const float* gradient = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  float gradient_scale = 1;
  float beta1 = 0;
  float beta2 = 0;
  float step_size = 0;   ///< learning rate / (1 - beta1^t)
  float root_scale = 0;  ///< 1 / sqrt(1 - beta2^t)
  float epsilon = 0;
  float decay = 1;  ///< 1 - learning rate * weight decay
};

struct TrainKernels {
  const char* name;
  void (*norm_convolve)(const NormConvolution&, const NormConvolutionForward&);
  void (*norm_convolve_backward)(const NormConvolution&, const NormConvolutionBackward&);
  void (*rotate)(const Rotation&, float* rows);
  /// out [rows, width] = silu(gate) * up of gate_up [rows, 2 width]
  void (*swiglu)(std::size_t rows, std::size_t width, const float* gate_up, float* out);
  void (*swiglu_backward)(const SwigluBackward&);
  /// x -> exp(x - max) in place; zeros from valid to length. The row is padded.
  SoftmaxSum (*attention_softmax)(float* row, std::size_t valid, std::size_t length);
  void (*attention_softmax_backward)(const AttentionRow&);
  /// Sums over logits * inverse_temperature; the row is padded and not changed.
  SoftmaxSum (*head_softmax)(const float* logits, std::size_t length, float inverse_temperature);
  void (*head_softmax_backward)(const HeadRow&);
  float (*dot)(const float* a, const float* b, std::size_t count);
  /// y += factor * x
  void (*add_scaled)(float factor, const float* x, float* y, std::size_t count);
  void (*adamw)(const AdamWStep&);
};

/// The best set this machine can run.
const TrainKernels& train_kernels();
/// Each set this machine can run, the baseline first; for tests.
const TrainKernels* const* all_train_kernels(std::size_t& count);

}  // namespace dreamgym::internal
