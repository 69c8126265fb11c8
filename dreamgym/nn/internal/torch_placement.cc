#include "dreamgym/nn/internal/torch_placement.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/torch_device.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::internal {
namespace {

using engine::PassPart;

constexpr auto kBlockTokens = static_cast<std::int64_t>(kPanelWidth);
// Keys of a layer that one attention gathers at once, padding included.
constexpr std::int64_t kMaxGatheredKeys = std::int64_t{1} << 16;

// Several lists of integers that go to the device together.
class IntegerLists {
 public:
  std::vector<std::int64_t>& add() { return lists_.emplace_back(); }
  /// Each as a tensor, in the order of add().
  [[nodiscard]] std::vector<at::Tensor> send(at::Device device) const {
    std::vector<std::int64_t> joined;
    for (const auto& list : lists_) {
      joined.insert(joined.end(), list.begin(), list.end());
    }
    const at::Tensor all =
        host_integers(joined).to(device, at::kLong, /*non_blocking=*/false, /*copy=*/true);
    std::vector<at::Tensor> sent;
    std::int64_t first = 0;
    for (const auto& list : lists_) {
      const auto count = static_cast<std::int64_t>(list.size());
      sent.push_back(all.narrow(0, first, count));
      first += count;
    }
    return sent;
  }

 private:
  std::deque<std::vector<std::int64_t>> lists_;  // whose references hold
};

struct PlacedPart {
  const PassPart* part = nullptr;
  std::int64_t first_row = 0;
  std::int64_t position = 0;  // of its first token
  [[nodiscard]] std::int64_t num_tokens() const {
    return static_cast<std::int64_t>(part->tokens.size());
  }
  [[nodiscard]] std::int64_t num_blocks() const {
    return (position + num_tokens() + kBlockTokens - 1) / kBlockTokens;
  }
};

std::vector<PlacedPart> place(std::span<const PassPart> parts, const TransformerConfig& config) {
  std::vector<PlacedPart> placed;
  std::int64_t row = 0;
  for (const PassPart& part : parts) {
    for (const TokenId token : part.tokens) {
      engine::check_token(token, config);
    }
    const auto position = static_cast<std::int64_t>(part.sequence->size());
    placed.push_back({&part, row, position});
    check(position + placed.back().num_tokens() <= config.max_position, "sequence fits the model");
    part.sequence->reserve_blocks(part.tokens);
    row += placed.back().num_tokens();
  }
  return placed;
}

void list_rows(std::span<const PlacedPart> placed, Placement& placement, IntegerLists& lists) {
  auto& tokens = lists.add();
  auto& positions = lists.add();
  auto& written_rows = lists.add();
  auto& written_blocks = lists.add();
  auto& written_lanes = lists.add();
  auto& output_rows = lists.add();
  for (const PlacedPart& one : placed) {
    const auto stored = static_cast<std::int64_t>(one.part->sequence->num_stored());
    const auto wanted = static_cast<std::int64_t>(one.part->num_outputs);
    for (std::int64_t i = 0; i < one.num_tokens(); ++i) {
      const std::int64_t position = one.position + i;
      tokens.push_back(one.part->tokens[static_cast<std::size_t>(i)]);
      positions.push_back(position);
      if (position >= stored) {
        written_rows.push_back(one.first_row + i);
        written_blocks.push_back(static_cast<std::int64_t>(
            one.part->sequence->block_index(static_cast<std::size_t>(position / kBlockTokens))));
        written_lanes.push_back(position % kBlockTokens);
      }
      if (i >= one.num_tokens() - wanted) {
        output_rows.push_back(one.first_row + i);
      }
    }
  }
  placement.num_rows = static_cast<std::int64_t>(tokens.size());
}

// Tap i of token t looks at token t - (taps - 1) + i of its part, or at the part's tail before it.
void list_taps(std::span<const PlacedPart> placed, std::int64_t taps, IntegerLists& lists) {
  const std::int64_t tail_rows = taps - 1;
  const std::int64_t all_tails = static_cast<std::int64_t>(placed.size()) * tail_rows;
  auto& looked_at = lists.add();
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    for (std::size_t p = 0; p < placed.size(); ++p) {
      for (std::int64_t t = 0; t < placed[p].num_tokens(); ++t) {
        const std::int64_t token = t - tail_rows + tap;
        looked_at.push_back(token < 0 ? static_cast<std::int64_t>(p + 1) * tail_rows + token
                                      : all_tails + placed[p].first_row + token);
      }
    }
  }
}

// Sorted, parts of a group have equally many tokens and caches of nearly one length: none is padded to more
// than twice its own.
std::vector<std::vector<PlacedPart>> group_parts(std::vector<PlacedPart> placed) {
  std::ranges::stable_sort(placed, {}, [](const PlacedPart& one) {
    return std::tuple(one.num_tokens(), one.num_blocks());
  });
  std::vector<std::vector<PlacedPart>> groups;
  for (const PlacedPart& one : placed) {
    const bool joins = !groups.empty() && [&](const std::vector<PlacedPart>& last) {
      const auto count = static_cast<std::int64_t>(last.size() + 1);
      return last.front().num_tokens() == one.num_tokens() &&
             one.num_blocks() <= 2 * last.front().num_blocks() &&
             count * one.num_blocks() * kBlockTokens <= kMaxGatheredKeys;
    }(groups.back());
    if (!joins) {
      groups.emplace_back();
    }
    groups.back().push_back(one);
  }
  return groups;
}

AttentionGroup list_group(std::span<const PlacedPart> members, IntegerLists& lists) {
  AttentionGroup group;
  group.num_sequences = static_cast<std::int64_t>(members.size());
  group.num_tokens = members.front().num_tokens();
  group.num_blocks = members.back().num_blocks();
  auto& rows = lists.add();
  auto& blocks = lists.add();
  for (const PlacedPart& one : members) {
    for (std::int64_t i = 0; i < group.num_tokens; ++i) {
      rows.push_back(one.first_row + i);
    }
    for (std::int64_t i = 0; i < group.num_blocks; ++i) {
      const std::int64_t own = std::min(i, one.num_blocks() - 1);
      blocks.push_back(
          static_cast<std::int64_t>(one.part->sequence->block_index(static_cast<std::size_t>(own))));
    }
  }
  return group;
}

at::Tensor mask_of(const AttentionGroup& group,
                   const at::Tensor& positions,
                   std::int64_t heads_a_key,
                   at::ScalarType type) {
  const std::int64_t num_keys = group.num_blocks * kBlockTokens;
  const at::Tensor keys = at::arange(num_keys, positions.options());
  const at::Tensor seen_to =
      positions.index_select(0, group.rows).view({group.num_sequences, 1, group.num_tokens, 1});
  return at::zeros({group.num_sequences, 1, group.num_tokens, num_keys}, positions.options().dtype(type))
      .masked_fill_(keys.gt(seen_to), -std::numeric_limits<double>::infinity())
      .expand({-1, heads_a_key, -1, -1})
      .reshape({group.num_sequences, 1, heads_a_key * group.num_tokens, num_keys});
}

}  // namespace

Placement place_parts(std::span<const PassPart> parts,
                      const TransformerConfig& config,
                      at::Device device,
                      at::ScalarType cache_type) {
  const std::vector<PlacedPart> placed = place(parts, config);
  Placement placement;
  IntegerLists lists;
  list_rows(placed, placement, lists);
  for (const auto& members : group_parts(placed)) {
    placement.groups.push_back(list_group(members, lists));
  }
  if (config.convolution_taps > 0) {
    list_taps(placed, config.convolution_taps, lists);
  }
  const std::vector<at::Tensor> sent = lists.send(device);
  std::size_t next = 0;
  for (at::Tensor* list : {&placement.tokens,
                           &placement.positions,
                           &placement.written_rows,
                           &placement.written_blocks,
                           &placement.written_lanes,
                           &placement.output_rows}) {
    *list = sent[next++];
  }
  for (AttentionGroup& group : placement.groups) {
    group.rows = sent[next++];
    group.blocks = sent[next++];
    group.mask = mask_of(
        group, placement.positions, config.num_heads / config.num_kv_heads, cache_type);
  }
  if (config.convolution_taps > 0) {
    placement.looked_at = sent[next].view({config.convolution_taps, placement.num_rows});
  }
  return placement;
}

}  // namespace dreamgym::internal
