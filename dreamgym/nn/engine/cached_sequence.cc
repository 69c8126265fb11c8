#include "dreamgym/nn/engine/cached_sequence.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/number_type.h"

namespace dreamgym::engine {

namespace {

void set_half(float* words, std::size_t word, std::size_t half, std::uint16_t bits) {
  std::memcpy(reinterpret_cast<char*>(words) + 4 * word + 2 * half, &bits, sizeof(bits));
}

// The int16 numbers of a key or a value: its largest magnitude is 32767.
struct Int16Scale {
  explicit Int16Scale(std::span<const float> numbers) {
    constexpr float kLargestInt16 = 32767.0F;
    float largest = 0;
    for (const float number : numbers) {
      largest = std::max(largest, std::abs(number));
    }
    // A step below the smallest normal number is none.
    if (largest / kLargestInt16 >= kReadFactor * std::numeric_limits<float>::min()) {
      read_by = largest / kLargestInt16 / kReadFactor;
      stored_by = kLargestInt16 / largest;
    }
  }
  std::uint16_t operator()(float number) const {
    // Adding it rounds to an integer, whose low bits are then those of the sum.
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number * stored_by + kRound));
  }

  static constexpr float kReadFactor = 65536.0F;  // kernels.h
  float read_by = 0;
  float stored_by = 0;
};

}  // namespace

CacheShape::CacheShape(const TransformerConfig& config, NumberFormat its_format)
    : format(its_format) {
  const auto num_layers = static_cast<std::size_t>(config.num_layers);
  head_dim = static_cast<std::size_t>(config.head_dim);
  num_kv_heads = static_cast<std::size_t>(config.num_kv_heads);
  value_stride = round_up(head_dim, kPanelWidth);
  key_floats = head_dim * kPanelWidth / numbers_a_word(format);
  value_floats = value_stride * kPanelWidth / numbers_a_word(format);
  scale_floats = format == NumberFormat::kInt16 ? 2 * kPanelWidth : 0;
  block_floats = num_layers * num_kv_heads * (key_floats + value_floats + scale_floats);
  hidden_stride = round_up(static_cast<std::size_t>(config.hidden_size), kPanelWidth);
  tail_rows =
      config.convolution_taps > 0 ? static_cast<std::size_t>(config.convolution_taps) - 1 : 0;
  num_tails = 2 * num_layers;
  tail_floats = num_tails * tail_rows * hidden_stride;
}

void CacheShape::store(std::size_t lane,
                       const float* key,
                       const float* value,
                       float* block) const {
  float* values = block + key_floats;
  if (format == NumberFormat::kFloat32) {
    for (std::size_t d = 0; d < head_dim; ++d) {
      block[d * kPanelWidth + lane] = key[d];
    }
    std::copy_n(value, head_dim, values + lane * value_stride);
    return;
  }
  const auto store_halves = [&](const auto& half_of_key, const auto& half_of_value) {
    for (std::size_t d = 0; d < head_dim; ++d) {
      set_half(block, d / 2 * kPanelWidth + lane, d % 2, half_of_key(key[d]));
      set_half(values, lane / 2 * value_stride + d, lane % 2, half_of_value(value[d]));
    }
  };
  if (format == NumberFormat::kBFloat16) {
    store_halves(to_bfloat16, to_bfloat16);
    return;
  }
  float* scales = values + value_floats;
  const Int16Scale of_key(std::span(key, head_dim));
  const Int16Scale of_value(std::span(value, head_dim));
  scales[lane] = of_key.read_by;
  scales[kPanelWidth + lane] = of_value.read_by;
  store_halves(of_key, of_value);
}

std::size_t common_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

CachedSequence::CachedSequence(const CacheShape& shape, BlockPool& pool)
    : shape_(shape), pool_(&pool), tails_(shape.tail_floats) {}

std::size_t CachedSequence::rewind_to_common(std::span<const TokenId> context) {
  tokens_.resize(common_length(tokens_, context));
  const std::size_t length = std::min({size_, tokens_.size(), context.size() - 1});
  std::erase_if(snapshots_, [&](const Snapshot& kept) { return kept.length > length; });
  if (length == size_) {
    plan_snapshot(length);
    return length;
  }
  size_ = length;
  if (shape_.tail_floats > 0) {
    size_ = snapshots_.empty() ? 0 : snapshots_.back().length;
    if (snapshots_.empty()) {
      std::ranges::fill(tails_, 0.0F);
    } else {
      tails_ = snapshots_.back().tails;
    }
  }
  return size_;
}

void CachedSequence::plan_snapshot(std::size_t length) {
  if (shape_.tail_floats == 0 || length == 0 || length < size_) {
    return;
  }
  const auto at = std::ranges::lower_bound(snapshots_, length, {}, &Snapshot::length);
  if (at != snapshots_.end() && at->length == length) {
    return;
  }
  const bool is_now = length == size_;
  snapshots_.insert(at, {length, is_now ? tails_ : AlignedFloats(shape_.tail_floats)});
  if (snapshots_.size() > kMaxSnapshots) {
    snapshots_.erase(snapshots_.begin());
  }
}

void CachedSequence::reserve_blocks(std::span<const TokenId> next) {
  const std::size_t stored = common_length(std::span(tokens_).subspan(size_), next);
  if (stored == next.size()) {
    return;
  }
  tokens_.resize(size_ + stored);
  for (std::size_t i = tokens_.size() / kPanelWidth; i * kPanelWidth < size_ + next.size(); ++i) {
    if (i == blocks_.size()) {
      blocks_.emplace_back(pool_->take());
      block_starts_.push_back(blocks_.back()->start);
    } else if (blocks_[i].use_count() > 1) {
      own_block(i);
    }
  }
  // A block that another thread has just let go of is written only after that thread's reads.
  std::atomic_thread_fence(std::memory_order_acquire);
}

// A block of one's own with the same contents.
void CachedSequence::own_block(std::size_t index) {
  blocks_[index] = pool_->copy_of(*blocks_[index]);
  block_starts_[index] = blocks_[index]->start;
}

std::size_t CachedSequence::share_prefix(const CachedSequence& other,
                                         std::span<const TokenId> context) {
  check(size_ == 0, "nothing is computed of a sequence that takes over what another holds");
  const std::size_t common = common_length(other.tokens_, context);
  std::size_t target = std::min({common, other.size_, context.size() - 1});
  if (shape_.tail_floats > 0) {
    const auto taken = std::ranges::find_if(
        other.snapshots_.rbegin(), other.snapshots_.rend(), [&](const Snapshot& kept) {
          return kept.length <= target;
        });
    if (taken == other.snapshots_.rend()) {
      return 0;
    }
    target = taken->length;
    tails_ = taken->tails;
    // What was planned before that point will not come by any more.
    std::erase_if(snapshots_, [&](const Snapshot& planned) { return planned.length <= target; });
    snapshots_.insert(snapshots_.begin(), *taken);
    if (snapshots_.size() > kMaxSnapshots) {
      snapshots_.erase(snapshots_.begin());
    }
  }
  const std::size_t num_blocks = (common + kPanelWidth - 1) / kPanelWidth;
  blocks_.assign(other.blocks_.begin(),
                 other.blocks_.begin() + static_cast<std::ptrdiff_t>(num_blocks));
  block_starts_.assign(other.block_starts_.begin(),
                       other.block_starts_.begin() + static_cast<std::ptrdiff_t>(num_blocks));
  tokens_.assign(other.tokens_.begin(),
                 other.tokens_.begin() + static_cast<std::ptrdiff_t>(common));
  size_ = target;
  return size_;
}

const float* CachedSequence::tail(std::size_t index) const {
  return tails_.data() + index * shape_.tail_rows * shape_.hidden_stride;
}

void CachedSequence::advance_tail(std::size_t index, const float* inputs, std::size_t num_new) {
  const std::size_t floats = shape_.tail_rows * shape_.hidden_stride;
  const std::size_t offset = index * floats;
  for (Snapshot& planned : snapshots_) {
    if (planned.length > size_ && planned.length <= size_ + num_new) {
      std::copy_n(inputs + (planned.length - size_) * shape_.hidden_stride,
                  floats,
                  planned.tails.data() + offset);
    }
  }
  std::copy_n(inputs + num_new * shape_.hidden_stride, floats, tails_.data() + offset);
}

void CachedSequence::commit(std::span<const TokenId> tokens) {
  size_ += tokens.size();
  if (size_ > tokens_.size()) {
    const auto fresh = tokens.last(size_ - tokens_.size());
    tokens_.insert(tokens_.end(), fresh.begin(), fresh.end());
  }
}

std::size_t CachedSequence::bytes() const {
  double blocks = 0;
  for (const auto& block : blocks_) {
    blocks += 1.0 / static_cast<double>(block.use_count());
  }
  return static_cast<std::size_t>(blocks * static_cast<double>(pool_->block_bytes())) +
         (1 + snapshots_.size()) * shape_.tail_floats * sizeof(float) +
         tokens_.capacity() * sizeof(TokenId);
}

}  // namespace dreamgym::engine
