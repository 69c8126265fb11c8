#include "dreamgym/nn/engine/cached_sequence.h"

#include <algorithm>

#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

CacheShape::CacheShape(const TransformerConfig& config) {
  const auto num_layers = static_cast<std::size_t>(config.num_layers);
  const auto head_dim = static_cast<std::size_t>(config.head_dim);
  num_kv_heads = static_cast<std::size_t>(config.num_kv_heads);
  value_stride = round_up(head_dim, kPanelWidth);
  key_floats = head_dim * kPanelWidth;
  value_floats = value_stride * kPanelWidth;
  block_floats = num_layers * num_kv_heads * (key_floats + value_floats);
  hidden_stride = round_up(static_cast<std::size_t>(config.hidden_size), kPanelWidth);
  tail_rows =
      config.convolution_taps > 0 ? static_cast<std::size_t>(config.convolution_taps) - 1 : 0;
  num_tails = 2 * num_layers;
  tail_floats = num_tails * tail_rows * hidden_stride;
}

CachedSequence::CachedSequence(const CacheShape& shape, BlockPool& pool)
    : shape_(shape), pool_(&pool), tails_(shape.tail_floats) {}

std::size_t CachedSequence::rewind_to_common(std::span<const TokenId> context) {
  const auto [mine, theirs] = std::ranges::mismatch(tokens_, context);
  const auto common = static_cast<std::size_t>(mine - tokens_.begin());
  const std::size_t length = std::min(common, context.size() - 1);
  std::erase_if(snapshots_, [&](const Snapshot& kept) { return kept.length > length; });
  if (length == tokens_.size()) {
    plan_snapshot(length);
    return length;
  }
  std::size_t target = length;
  if (shape_.tail_floats > 0) {
    target = snapshots_.empty() ? 0 : snapshots_.back().length;
    if (snapshots_.empty()) {
      std::ranges::fill(tails_, 0.0F);
    } else {
      tails_ = snapshots_.back().tails;
    }
  }
  tokens_.resize(target);
  return target;
}

void CachedSequence::plan_snapshot(std::size_t length) {
  if (shape_.tail_floats == 0 || length == 0 || length < tokens_.size()) {
    return;
  }
  const auto at = std::ranges::lower_bound(snapshots_, length, {}, &Snapshot::length);
  if (at != snapshots_.end() && at->length == length) {
    return;
  }
  const bool is_now = length == tokens_.size();
  snapshots_.insert(at, {length, is_now ? tails_ : AlignedFloats(shape_.tail_floats)});
  if (snapshots_.size() > kMaxSnapshots) {
    snapshots_.erase(snapshots_.begin());
  }
}

void CachedSequence::reserve_blocks(std::size_t num_tokens) {
  while (blocks_.size() * kPanelWidth < num_tokens) {
    blocks_.push_back(pool_->take());
    block_starts_.push_back(blocks_.back().get());
  }
}

const float* CachedSequence::tail(std::size_t index) const {
  return tails_.data() + index * shape_.tail_rows * shape_.hidden_stride;
}

void CachedSequence::advance_tail(std::size_t index, const float* inputs, std::size_t num_new) {
  const std::size_t floats = shape_.tail_rows * shape_.hidden_stride;
  const std::size_t offset = index * floats;
  for (Snapshot& planned : snapshots_) {
    if (planned.length > size() && planned.length <= size() + num_new) {
      std::copy_n(inputs + (planned.length - size()) * shape_.hidden_stride,
                  floats,
                  planned.tails.data() + offset);
    }
  }
  std::copy_n(inputs + num_new * shape_.hidden_stride, floats, tails_.data() + offset);
}

void CachedSequence::commit(std::span<const TokenId> tokens) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

std::size_t CachedSequence::bytes() const {
  const std::size_t floats =
      blocks_.size() * shape_.block_floats + (1 + snapshots_.size()) * shape_.tail_floats;
  return floats * sizeof(float) + tokens_.capacity() * sizeof(TokenId);
}

}  // namespace dreamgym::engine
