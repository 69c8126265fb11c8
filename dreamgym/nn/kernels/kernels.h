// The inner loops of the generation engine, compiled for several instruction sets from one source.
//
// Memory layout, the same for every instruction set:
//   panel      [depth][kPanelWidth]: kPanelWidth columns of a matrix side by side (a weight matrix
//              [out, in] becomes ceil(out / kPanelWidth) panels of depth `in`). In bfloat16 two
//              depths are one 32-bit word (the even one in its low half), the depth rounded up to
//              kPairedDepth with zeros; in int8 four depths are one word (from its lowest byte:
//              the first, the third, the second, the fourth), the depth rounded up likewise, and
//              each column has a scale for every kScaleGroup depths.
//   key block  [head_dim][kPanelWidth]: the keys of kPanelWidth neighbouring tokens, i.e. a panel
//              whose columns are tokens.
//   value block [kPanelWidth][value_stride]: a row per token, value_stride = head_dim rounded up to
//              kPanelWidth. In bfloat16 and int16 two neighbouring tokens are one 32-bit word.
//   scales     [2][kPanelWidth], of int16 blocks: what a token's key, and its value, is multiplied by,
//              / 65536 (kernels read a number in the high half of a word).
// Rows of activations are padded with zeros to a multiple of kPanelWidth floats.
//
// Order of accumulation: every output element is a sum over its depth in ascending order starting
// at 0 (values: even and odd tokens apart, then added; norms, dot products and sums of weights:
// kSumLanes interleaved sums, then a binary tree). It depends neither on how many rows are computed
// together nor on the width of the machine's vectors, so AVX2 and AVX-512 agree bit for bit; the
// plain version has no fused multiply-add and differs in the last bits. With AMX, activations meet
// bfloat16 weights as the sum of two bfloat16 numbers, which keeps 16 of their 24 bits. Everywhere
// they meet int8 weights as 16-bit integers with a scale for every kScaleGroup depths of a row: sums
// within a group are exact, and the groups' are added in ascending order.
//
// Thread safety: reentrant. Pure functions; memory is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dreamgym {

inline constexpr std::size_t kPanelWidth = 32;   ///< columns of a panel; tokens of a cache block
inline constexpr std::size_t kSumLanes = 16;     ///< interleaved partial sums of a reduction
inline constexpr std::size_t kMaxTileRows = 12;  ///< most rows any version keeps in registers

/// The left side of a product is copied into pieces [rows, kDepthPiece] of fixed stride, so that a
/// row is an address known to the compiler; the stride keeps rows out of each other's cache sets.
inline constexpr std::size_t kDepthPiece = 512;  ///< also the largest head dimension
inline constexpr std::size_t kLeftStride = kDepthPiece + 16;

/// Rows of the left side that meet a panel while it is near.
inline constexpr std::size_t kMaxBlockRows = 6 * kMaxTileRows;

/// How the numbers of a panel or of a key or value block are stored.
/// kInt8 is of panels, kInt16 of key and value blocks.
enum class NumberFormat : std::uint8_t { kFloat32, kBFloat16, kInt8, kInt16 };

/// Numbers in a 32-bit word.
constexpr std::size_t numbers_a_word(NumberFormat format) {
  return format == NumberFormat::kFloat32 ? 1 : format == NumberFormat::kInt8 ? 4 : 2;
}

inline constexpr std::size_t kPairedDepth = 32;  ///< a narrow panel's depth is a multiple of it
constexpr std::size_t paired_depth(std::size_t depth) {
  return (depth + kPairedDepth - 1) / kPairedDepth * kPairedDepth;
}

inline constexpr std::size_t kScaleGroup = kPairedDepth;  ///< depths of an int8 column's scale
constexpr std::size_t num_scale_groups(std::size_t depth) {
  return (depth + kScaleGroup - 1) / kScaleGroup;
}

/// out[m][n] = sum_k left[m][k] * panels[n / kPanelWidth][k][n % kPanelWidth].
struct PanelProduct {
  const float* left = nullptr;  ///< [num_rows, depth], rows left_stride floats apart
  std::size_t left_stride = 0;
  std::size_t num_rows = 0;
  std::size_t depth = 0;
  NumberFormat format = NumberFormat::kFloat32;
  const void* panels = nullptr;   ///< [num_panels][depth][kPanelWidth] of that format
  const float* scales = nullptr;  ///< [num_panels][num_scale_groups(depth)][kPanelWidth], int8 only
  std::size_t num_panels = 0;
  float* out = nullptr;  ///< [num_rows, num_panels * kPanelWidth], rows out_stride floats apart
  std::size_t out_stride = 0;
  float* scratch = nullptr;  ///< product_scratch_floats(depth, num_rows) floats on a cache line
};
/// The place of depth k in its word of int8.
constexpr std::size_t byte_of_depth(std::size_t k) {
  return k % 4 == 1 ? 2 : k % 4 == 2 ? 1 : k % 4;
}

/// Floats of PanelProduct::scratch: up to kMaxBlockRows rows in fp32, all rows as two bfloat16, or a
/// panel of int16 and kMaxBlockRows rows of them with their scales.
constexpr std::size_t product_scratch_floats(std::size_t depth, std::size_t num_rows) {
  const std::size_t most = num_rows < kMaxBlockRows ? num_rows : kMaxBlockRows;
  const std::size_t rows = (most + kMaxTileRows - 1) / kMaxTileRows * kMaxTileRows;
  const std::size_t block = (depth + kDepthPiece - 1) / kDepthPiece * rows * kLeftStride;
  const std::size_t paired = (num_rows + 15) / 16 * 16 * paired_depth(depth);
  const std::size_t integers = paired_depth(depth) / 2 * (kPanelWidth + kMaxBlockRows) +
                               num_scale_groups(depth) * kMaxBlockRows;
  const std::size_t larger = block > paired ? block : paired;
  return larger > integers ? larger : integers;
}

/// Causal attention of the new tokens of one sequence over its cache, for the query heads that
/// share one key-value head.
struct AttentionTask {
  const float* queries = nullptr;  ///< [num_tokens, group * head_dim], rows query_stride apart
  std::size_t query_stride = 0;
  std::size_t num_tokens = 0;
  std::size_t group = 0;                 ///< query heads
  std::size_t head_dim = 0;              ///< at most kDepthPiece
  float scale = 1.0F;                    ///< multiplies the scores
  std::size_t first_position = 0;        ///< token i sees the keys [0, first_position + i]
  NumberFormat format = NumberFormat::kFloat32;  ///< of the blocks; not kInt8
  const float* const* blocks = nullptr;          ///< one per kPanelWidth tokens of the sequence
  std::size_t key_offset = 0;            ///< floats from a block's start to its key block
  std::size_t value_offset = 0;          ///< floats from a block's start to its value block
  std::size_t scale_offset = 0;          ///< floats from a block's start to its scales, kInt16 only
  std::size_t next_offset = 0;  ///< floats from a value to the key that is read next; a hint, or 0
  float* out = nullptr;                  ///< [num_tokens, group * head_dim], rows out_stride apart
  std::size_t out_stride = 0;
  float* scratch = nullptr;  ///< attention_scratch_floats(keys seen by the last token)
};
/// Floats of AttentionTask::scratch when the last token, of any member, sees num_keys keys.
constexpr std::size_t attention_scratch_floats(std::size_t num_keys) {
  return kMaxTileRows *
         (2 * kDepthPiece + kLeftStride + (num_keys + kPanelWidth - 1) / kPanelWidth * kPanelWidth);
}

/// One of several sequences that begin alike, with a single new token.
struct AttentionMember {
  const float* queries = nullptr;        ///< [group * head_dim]
  float* out = nullptr;                  ///< [group * head_dim]
  const float* const* blocks = nullptr;  ///< its own, the shared ones first
  std::size_t num_keys = 0;              ///< it sees; more than the shared ones
};
/// Attention of the members; what it writes is, bit for bit, what each alone would.
struct SharedAttentionTask {
  AttentionTask first;            ///< whose shapes, offsets, scale and scratch are everybody's
  std::size_t shared_blocks = 0;  ///< blocks that all members begin with, each of them full
  const AttentionMember* members = nullptr;
  std::size_t num_members = 0;
};

struct NormalizeTask {
  const float* input = nullptr;  ///< [num_rows, padded], rows `padded` floats apart
  float* out = nullptr;          ///< the same shape; may be the input
  std::size_t num_rows = 0;
  std::size_t size = 0;    ///< elements that count
  std::size_t padded = 0;  ///< floats of a row; the rest are zeros
  float epsilon = 0;
  const float* weight = nullptr;  ///< [padded]
};

/// What multiply_swiglu does after its product, for one that more is added to first.
struct SwigluTask {
  const float* input = nullptr;  ///< [num_rows, num_panels * kPanelWidth], panels of gate and up
  std::size_t input_stride = 0;
  std::size_t num_rows = 0;
  std::size_t num_panels = 0;
  float* out = nullptr;  ///< [num_rows, num_panels * kPanelWidth / 2], rows out_stride floats apart
  std::size_t out_stride = 0;
};

/// out[t] = in[t + taps - 1] + sum_i weight[i] * in[t + i].
struct ConvolutionTask {
  const float* input = nullptr;  ///< [taps - 1 + num_rows, padded]: the rows before, then the rows
  float* out = nullptr;          ///< [num_rows, padded]
  std::size_t num_rows = 0;
  std::size_t padded = 0;
  std::size_t taps = 0;
  const float* weight = nullptr;  ///< [taps, padded]
};

struct SoftmaxSums {
  float maximum = 0;  ///< of the logits
  double total = 0;   ///< of the weights
};

/// One version of every kernel.
struct Kernels {
  std::string_view name;
  /// out = product.
  void (*multiply)(const PanelProduct& task);
  /// out += product.
  void (*multiply_add)(const PanelProduct& task);
  /// Each panel holds kPanelWidth / 2 gate columns and as many up columns; out has half as many
  /// columns as the panels: gate / (1 + exp(-gate)) * up.
  void (*multiply_swiglu)(const PanelProduct& task);
  /// The same of a product that is already there.
  void (*swiglu)(const SwigluTask& task);
  void (*attend)(const AttentionTask& task);
  /// The same of several sequences, which reads what they share once.
  void (*attend_shared)(const SharedAttentionTask& task);
  /// Rows divided by their root mean square, times the weight.
  void (*normalize)(const NormalizeTask& task);
  void (*convolve)(const ConvolutionTask& task);
  /// Turns pairs (head[i], head[i + half]) by the angles whose cosines and sines [half] are given.
  void (*rotate)(float* head, const float* cosines, const float* sines, std::size_t half);
  /// Sum of a[i] * b[i]; size is a multiple of kSumLanes.
  float (*dot)(const float* a, const float* b, std::size_t size);
  /// weights[i] = exp((logits[i] - maximum) * inverse_temperature); block_sums[j] = sum of the
  /// weights [j * kSumLanes, (j + 1) * kSumLanes). size is a multiple of kSumLanes; pad with
  /// -infinity.
  SoftmaxSums (*softmax)(const float* logits,
                         std::size_t size,
                         float inverse_temperature,
                         float* weights,
                         float* block_sums);
};

/// The versions this machine can run, fastest first; "plain" is always the last.
std::vector<const Kernels*> available_kernels();

/// The version called `name` ("amx", "avx512vnni", "avx512", "avx2", "plain"), or with "" the one
/// the environment variable DREAMGYM_KERNELS names, or else the fastest.
/// @throws Error kUnsupported if the machine can't run it, kInvalidArgument if there is none of
/// that name.
const Kernels& select_kernels(std::string_view name);

/// As plain as their definitions and in double: what the others are tested against. Slow.
extern const Kernels kReferenceKernels;

// One per instruction set, defined by kernel_source.inc.
extern const Kernels kPlainKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx512VnniKernels;
extern const Kernels kAmxKernels;
#endif

}  // namespace dreamgym
