#include "dreamgym/nn/internal/segment_plan.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {
namespace {

void check_segment(const PackedBatch& batch, std::size_t index) {
  const Segment& segment = batch.segments[index];
  check(segment.begin == (index == 0 ? 0 : batch.segments[index - 1].end) &&
            segment.end > segment.begin,
        "segments cover the tokens in order");
  if (segment.parent != Segment::kNoParent) {
    check(segment.parent < index, "a segment's parent comes before it");
    const Segment& parent = batch.segments[segment.parent];
    check(segment.parent_end >= 1 && segment.parent_end <= parent.end - parent.begin,
          "parent_end is in [1, length of the parent]");
  }
}

void check_query(const PackedBatch& batch, const TokenQuery& query, std::int64_t vocab_size) {
  check(query.source < batch.tokens.size(), "a query's source is a token of the batch");
  check(query.target >= 0 && query.target < vocab_size, "a query's target is in the vocabulary");
  check(query.temperature > 0, "a query's temperature is above 0");
  check(query.allowed_begin <= query.allowed_end && query.allowed_end <= batch.allowed.size(),
        "a query's allowed slice is inside the batch's storage");
  if (query.allowed_begin == query.allowed_end) {
    return;
  }
  const auto allowed = std::span(batch.allowed)
                           .subspan(query.allowed_begin, query.allowed_end - query.allowed_begin);
  check(std::ranges::all_of(allowed, [&](TokenId id) { return id >= 0 && id < vocab_size; }),
        "allowed ids are in the vocabulary");
  check(std::ranges::find(allowed, query.target) != allowed.end(),
        "a query's target is among its allowed ids");
}

SegmentView view_of(const PackedBatch& batch, const Segment& segment, SegmentPlan& plan) {
  SegmentView view;
  view.own = {segment.begin, segment.end};
  view.first_range = static_cast<std::uint32_t>(plan.ranges.size());
  for (const Segment* at = &segment; at->parent != Segment::kNoParent;) {
    const Segment& parent = batch.segments[at->parent];
    plan.ranges.push_back({parent.begin, parent.begin + at->parent_end});
    view.num_context_tokens += at->parent_end;
    at = &parent;
  }
  std::reverse(plan.ranges.begin() + view.first_range, plan.ranges.end());
  view.num_ranges = static_cast<std::uint32_t>(plan.ranges.size()) - view.first_range;
  return view;
}

}  // namespace

SegmentPlan plan_segments(const PackedBatch& batch, std::int64_t vocab_size) {
  const std::size_t num_tokens = batch.num_tokens();
  check(std::ranges::all_of(batch.tokens, [&](TokenId id) { return id >= 0 && id < vocab_size; }),
        "tokens are in the vocabulary");
  check((batch.segments.empty() ? 0 : batch.segments.back().end) == num_tokens,
        "segments cover the tokens in order");
  SegmentPlan plan;
  plan.position.reserve(num_tokens);
  plan.predecessor.reserve(num_tokens);
  for (std::size_t index = 0; index < batch.segments.size(); ++index) {
    check_segment(batch, index);
    const Segment& segment = batch.segments[index];
    const SegmentView view = view_of(batch, segment, plan);
    const std::uint32_t length = segment.end - segment.begin;
    for (std::uint32_t i = 0; i < length; ++i) {
      plan.position.push_back(static_cast<std::int32_t>(view.num_context_tokens + i));
      plan.predecessor.push_back(static_cast<std::int32_t>(segment.begin + i) - 1);
    }
    plan.predecessor[segment.begin] =
        static_cast<std::int32_t>(view.num_ranges == 0 ? num_tokens : plan.ranges.back().end - 1);
    plan.num_positions =
        std::max<std::size_t>(plan.num_positions, view.num_context_tokens + length);
    plan.segments.push_back(view);
  }
  for (const TokenQuery& query : batch.queries) {
    check_query(batch, query, vocab_size);
  }
  return plan;
}

std::vector<std::uint32_t> query_sources(const PackedBatch& batch) {
  std::vector<std::uint32_t> sources;
  sources.reserve(batch.queries.size());
  for (const TokenQuery& query : batch.queries) {
    sources.push_back(query.source);
  }
  std::ranges::sort(sources);
  const auto rest = std::ranges::unique(sources);
  sources.erase(rest.begin(), rest.end());
  return sources;
}

}  // namespace dreamgym::internal
