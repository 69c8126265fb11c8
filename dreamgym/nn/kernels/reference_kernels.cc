// The kernels written as plainly as their definitions, in double: what the fast ones are tested
// against.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym {
namespace {

// The low (0) or high (1) bfloat16 of a word in memory.
double half_of(const void* words, std::size_t index, std::size_t half) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(words) + 4 * index + 2 * half, sizeof(bits));
  return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U)};
}

double weight_of(const PanelProduct& task, std::size_t column, std::size_t k) {
  const std::size_t panel = column / kPanelWidth;
  const std::size_t lane = column % kPanelWidth;
  if (task.format == NumberFormat::kFloat32) {
    const std::size_t index = (panel * task.depth + k) * kPanelWidth + lane;
    return double{static_cast<const float*>(task.panels)[index]};
  }
  const std::size_t share = numbers_a_word(task.format);
  const std::size_t word =
      (panel * paired_depth(task.depth) / share + k / share) * kPanelWidth + lane;
  if (task.format == NumberFormat::kInt8) {
    const std::size_t group = panel * num_scale_groups(task.depth) + k / kScaleGroup;
    return double{task.scales[group * kPanelWidth + lane]} *
           static_cast<const std::int8_t*>(task.panels)[4 * word + byte_of_depth(k)];
  }
  return half_of(task.panels, word, k % 2);
}

// Column `column` of row `row` of the product.
double product_element(const PanelProduct& task, std::size_t row, std::size_t column) {
  double sum = 0;
  for (std::size_t k = 0; k < task.depth; ++k) {
    sum += double{task.left[row * task.left_stride + k]} * weight_of(task, column, k);
  }
  return sum;
}

struct Half {
  const float* memory = nullptr;
  std::size_t word = 0;
  std::size_t index = 0;  // in the word
};

// A number of a key (kind 0) or a value (1), stored in half a word.
double cached_half(const AttentionTask& task, std::size_t key, std::size_t kind, const Half& at) {
  if (task.format == NumberFormat::kBFloat16) {
    return half_of(at.memory, at.word, at.index);
  }
  std::int16_t number = 0;
  std::memcpy(&number,
              reinterpret_cast<const char*>(at.memory) + 4 * at.word + 2 * at.index,
              sizeof(number));
  const float* scales = task.blocks[key / kPanelWidth] + task.scale_offset + kind * kPanelWidth;
  return 65536.0 * double{scales[key % kPanelWidth]} * number;
}

double key_of(const AttentionTask& task, std::size_t key, std::size_t d) {
  const float* block = task.blocks[key / kPanelWidth] + task.key_offset;
  const std::size_t lane = key % kPanelWidth;
  return task.format == NumberFormat::kFloat32
             ? double{block[d * kPanelWidth + lane]}
             : cached_half(task, key, 0, {block, d / 2 * kPanelWidth + lane, d % 2});
}

double value_of(const AttentionTask& task, std::size_t key, std::size_t d) {
  const std::size_t stride = (task.head_dim + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  const float* block = task.blocks[key / kPanelWidth] + task.value_offset;
  const std::size_t lane = key % kPanelWidth;
  return task.format == NumberFormat::kFloat32 ? double{block[lane * stride + d]}
                                               : cached_half(task, key, 1, {block, lane / 2 * stride + d, lane % 2});
}

void multiply(const PanelProduct& task) {
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    for (std::size_t column = 0; column < task.num_panels * kPanelWidth; ++column) {
      task.out[row * task.out_stride + column] =
          static_cast<float>(product_element(task, row, column));
    }
  }
}

void multiply_add(const PanelProduct& task) {
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    for (std::size_t column = 0; column < task.num_panels * kPanelWidth; ++column) {
      task.out[row * task.out_stride + column] +=
          static_cast<float>(product_element(task, row, column));
    }
  }
}

float gated(double gate, double up) {
  return static_cast<float>(gate / (1.0 + std::exp(-gate)) * up);
}

void multiply_swiglu(const PanelProduct& task) {
  constexpr std::size_t kHalf = kPanelWidth / 2;
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    for (std::size_t i = 0; i < task.num_panels * kHalf; ++i) {
      const std::size_t column = i / kHalf * kPanelWidth + i % kHalf;
      task.out[row * task.out_stride + i] = gated(product_element(task, row, column),
                                                  product_element(task, row, column + kHalf));
    }
  }
}

void swiglu(const SwigluTask& task) {
  constexpr std::size_t kHalf = kPanelWidth / 2;
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    for (std::size_t i = 0; i < task.num_panels * kHalf; ++i) {
      const float* gate = task.input + row * task.input_stride + i / kHalf * kPanelWidth + i % kHalf;
      task.out[row * task.out_stride + i] = gated(double{*gate}, double{gate[kHalf]});
    }
  }
}

// One query head of one token.
void attend_head(const AttentionTask& task, std::size_t token, std::size_t head) {
  const float* query = task.queries + token * task.query_stride + head * task.head_dim;
  std::vector<double> weights(task.first_position + token + 1);
  for (std::size_t key = 0; key < weights.size(); ++key) {
    for (std::size_t d = 0; d < task.head_dim; ++d) {
      weights[key] += double{query[d]} * key_of(task, key, d) * double{task.scale};
    }
  }
  const double maximum = *std::ranges::max_element(weights);
  double total = 0;
  for (double& weight : weights) {
    weight = std::exp(weight - maximum);
    total += weight;
  }
  for (std::size_t d = 0; d < task.head_dim; ++d) {
    double sum = 0;
    for (std::size_t key = 0; key < weights.size(); ++key) {
      sum += weights[key] * value_of(task, key, d);
    }
    task.out[token * task.out_stride + head * task.head_dim + d] = static_cast<float>(sum / total);
  }
}

void attend(const AttentionTask& task) {
  for (std::size_t token = 0; token < task.num_tokens; ++token) {
    for (std::size_t head = 0; head < task.group; ++head) {
      attend_head(task, token, head);
    }
  }
}

void attend_shared(const SharedAttentionTask& shared) {
  for (std::size_t m = 0; m < shared.num_members; ++m) {
    AttentionTask task = shared.first;
    task.num_tokens = 1;
    task.queries = shared.members[m].queries;
    task.out = shared.members[m].out;
    task.blocks = shared.members[m].blocks;
    task.first_position = shared.members[m].num_keys - 1;
    attend(task);
  }
}

void normalize(const NormalizeTask& task) {
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    const float* input = task.input + row * task.padded;
    double squares = 0;
    for (std::size_t i = 0; i < task.size; ++i) {
      squares += double{input[i]} * double{input[i]};
    }
    const double scale =
        1.0 / std::sqrt(squares / static_cast<double>(task.size) + double{task.epsilon});
    for (std::size_t i = 0; i < task.padded; ++i) {
      task.out[row * task.padded + i] =
          static_cast<float>(double{input[i]} * scale * double{task.weight[i]});
    }
  }
}

void convolve(const ConvolutionTask& task) {
  for (std::size_t row = 0; row < task.num_rows; ++row) {
    for (std::size_t i = 0; i < task.padded; ++i) {
      double sum = double{task.input[(row + task.taps - 1) * task.padded + i]};
      for (std::size_t tap = 0; tap < task.taps; ++tap) {
        sum += double{task.weight[tap * task.padded + i]} *
               double{task.input[(row + tap) * task.padded + i]};
      }
      task.out[row * task.padded + i] = static_cast<float>(sum);
    }
  }
}

void rotate(float* head, const float* cosines, const float* sines, std::size_t half) {
  for (std::size_t i = 0; i < half; ++i) {
    const double first = head[i];
    const double second = head[half + i];
    head[i] = static_cast<float>(first * double{cosines[i]} - second * double{sines[i]});
    head[half + i] = static_cast<float>(second * double{cosines[i]} + first * double{sines[i]});
  }
}

float dot(const float* a, const float* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += double{a[i]} * double{b[i]};
  }
  return static_cast<float>(sum);
}

SoftmaxSums softmax(const float* logits,
                    std::size_t size,
                    float inverse_temperature,
                    float* weights,
                    float* block_sums) {
  SoftmaxSums result{.maximum = *std::max_element(logits, logits + size), .total = 0};
  std::fill_n(block_sums, size / kSumLanes, 0.0F);
  for (std::size_t i = 0; i < size; ++i) {
    weights[i] = static_cast<float>(
        std::exp((double{logits[i]} - double{result.maximum}) * double{inverse_temperature}));
    block_sums[i / kSumLanes] += weights[i];
    result.total += double{weights[i]};
  }
  return result;
}

}  // namespace

const Kernels kReferenceKernels = {
    .name = "reference",
    .multiply = multiply,
    .multiply_add = multiply_add,
    .multiply_swiglu = multiply_swiglu,
    .swiglu = swiglu,
    .attend = attend,
    .attend_shared = attend_shared,
    .normalize = normalize,
    .convolve = convolve,
    .rotate = rotate,
    .dot = dot,
    .softmax = softmax,
};

}  // namespace dreamgym
