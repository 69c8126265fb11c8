// Ragged sequences side by side in one flat array: no padding anywhere.
//
// A batch is a forest of segments. A segment continues an earlier one after a given number of its
// tokens (parent, parent_end), or starts a sequence. Tokens see all their ancestors and, inside
// their own segment, themselves and what came before: exactly the causal attention of the linear
// sequence root..leaf. So a shared trunk (an episode's history) is computed once for all branches
// that read it (retrieved demonstrations and the target of each step), and what a token sees never
// depends on its neighbours in the batch. Positions count along the linear sequence.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

struct Segment {
  static constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t begin = 0;           ///< first token in PackedBatch::tokens
  std::uint32_t end = 0;             ///< past the last
  std::uint32_t parent = kNoParent;  ///< index of an earlier segment, or kNoParent
  std::uint32_t parent_end = 0;  ///< this many tokens of the parent come before, in [1, its length]
};

/// One prediction asked of the model: the token at `target` given everything before it.
struct TokenQuery {
  std::uint32_t source = 0;  ///< index in tokens whose output predicts
  TokenId target = 0;        ///< the id whose log-probability is wanted
  float temperature = 1.0F;  ///< logits are divided by it
  /// Allowed ids (a slice of PackedBatch::allowed) the softmax runs over; empty = whole vocabulary.
  std::uint32_t allowed_begin = 0;
  std::uint32_t allowed_end = 0;
};

struct PackedBatch {
  std::vector<TokenId> tokens;
  std::vector<Segment> segments;  ///< in order, covering tokens exactly
  std::vector<TokenQuery> queries;
  std::vector<TokenId> allowed;  ///< storage for the queries' allowed sets

  [[nodiscard]] std::size_t num_tokens() const { return tokens.size(); }

  /// Appends a segment and returns its index.
  /// @throws LogicError if parent or parent_end are out of range or tokens is empty.
  std::uint32_t add_segment(std::span<const TokenId> segment_tokens,
                            std::uint32_t parent = Segment::kNoParent,
                            std::uint32_t parent_end = 0);
  /// Asks for tokens[target_index] given its predecessor inside the same segment (or the parent's
  /// token before it, for the first). Returns the query's index.
  /// @throws LogicError for the first token of a sequence, which nothing predicts.
  std::size_t add_query(std::uint32_t segment,
                        std::uint32_t offset,
                        float temperature = 1.0F,
                        std::span<const TokenId> allowed_ids = {});
};

}  // namespace dreamgym
