// What each token of a packed batch sees: its position, its predecessor, its ancestors.
//
// Pure. Thread safety: values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dreamgym/nn/packed_batch.h"

namespace dreamgym::internal {

/// Tokens [begin, end) of the batch.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct SegmentView {
  TokenRange own;
  std::uint32_t first_range = 0;  ///< ancestors' visible tokens: SegmentPlan::ranges, root first
  std::uint32_t num_ranges = 0;
  std::uint32_t num_context_tokens = 0;  ///< in those ranges = position of the first own token
};

struct SegmentPlan {
  std::vector<std::int32_t> position;     ///< [tokens] along the linear sequence
  std::vector<std::int32_t> predecessor;  ///< [tokens]; the number of tokens where there is none
  std::vector<SegmentView> segments;
  std::vector<TokenRange> ranges;
  std::size_t num_positions = 0;  ///< largest position + 1

  [[nodiscard]] std::span<const TokenRange> context(const SegmentView& segment) const {
    return std::span(ranges).subspan(segment.first_range, segment.num_ranges);
  }
};

/// @throws LogicError if the batch's invariants (packed_batch.h) do not hold, or a token or target
///         is outside the vocabulary, or a target is not among its allowed ids.
SegmentPlan plan_segments(const PackedBatch& batch, std::int64_t vocab_size);

/// The tokens some query reads, each once, in order.
std::vector<std::uint32_t> query_sources(const PackedBatch& batch);

}  // namespace dreamgym::internal
