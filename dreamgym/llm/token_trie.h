// A choice among strings as a tree of tokens.
//
// A policy that must name one of N admissible actions walks this tree: at each node only the
// children are allowed and their probabilities are renormalised, so the log-probability of the
// chosen action is the sum over its tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// Immutable once built. Thread safety: const members are reentrant.
class TokenTrie {
 public:
  /// @param choices  token sequences; none may be a proper prefix of another (end each with the
  /// same
  ///                 stop token); duplicates are merged; not empty.
  /// @throws Error kInvalidArgument on an empty set, an empty sequence or a proper prefix.
  explicit TokenTrie(const std::vector<std::vector<TokenId>>& choices);

  using Node = std::uint32_t;
  [[nodiscard]] Node root() const { return 0; }
  /// Allowed next tokens in ascending order; empty at a leaf.
  [[nodiscard]] std::span<const TokenId> allowed(Node node) const;
  /// The child reached by allowed(node)[index].
  [[nodiscard]] Node child(Node node, std::size_t index) const;
  [[nodiscard]] bool leaf(Node node) const { return allowed(node).empty(); }

 private:
  std::vector<std::uint32_t> offsets_;  // [num_nodes + 1] into tokens_ and children_
  std::vector<TokenId> tokens_;
  std::vector<Node> children_;
};

}  // namespace dreamgym
