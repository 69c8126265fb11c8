#include "dreamgym/nn/packed_batch.h"

#include "dreamgym/base/error.h"

namespace dreamgym {

std::uint32_t PackedBatch::add_segment(std::span<const TokenId> segment_tokens,
                                       std::uint32_t parent,
                                       std::uint32_t parent_end) {
  check(!segment_tokens.empty(), "a segment has tokens");
  check(tokens.size() + segment_tokens.size() < Segment::kNoParent, "a batch fits 32-bit indices");
  if (parent == Segment::kNoParent) {
    check(parent_end == 0, "a segment without a parent has parent_end 0");
  } else {
    check(parent < segments.size(), "a segment's parent comes before it");
    const Segment& before = segments[parent];
    check(parent_end >= 1 && parent_end <= before.end - before.begin,
          "parent_end is in [1, length of the parent]");
  }
  const auto begin = static_cast<std::uint32_t>(tokens.size());
  tokens.insert(tokens.end(), segment_tokens.begin(), segment_tokens.end());
  segments.push_back({begin, static_cast<std::uint32_t>(tokens.size()), parent, parent_end});
  return static_cast<std::uint32_t>(segments.size() - 1);
}

std::size_t PackedBatch::add_query(std::uint32_t segment,
                                   std::uint32_t offset,
                                   float temperature,
                                   std::span<const TokenId> allowed_ids) {
  check(segment < segments.size(), "the query's segment exists");
  const Segment& own = segments[segment];
  check(offset < own.end - own.begin, "the query's token is inside its segment");
  check(temperature > 0, "the query's temperature is above 0");
  TokenQuery query;
  if (offset > 0) {
    query.source = own.begin + offset - 1;
  } else {
    check(own.parent != Segment::kNoParent, "something comes before the query's token");
    query.source = segments[own.parent].begin + own.parent_end - 1;
  }
  query.target = tokens[own.begin + offset];
  query.temperature = temperature;
  if (!allowed_ids.empty()) {
    query.allowed_begin = static_cast<std::uint32_t>(allowed.size());
    allowed.insert(allowed.end(), allowed_ids.begin(), allowed_ids.end());
    query.allowed_end = static_cast<std::uint32_t>(allowed.size());
  }
  queries.push_back(query);
  return queries.size() - 1;
}

}  // namespace dreamgym
