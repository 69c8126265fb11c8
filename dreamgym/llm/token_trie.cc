#include "dreamgym/llm/token_trie.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

/// Sequences [first, last) of the sorted choices share their first `depth` tokens.
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t depth = 0;
};

std::vector<std::vector<TokenId>> sorted_unique(const std::vector<std::vector<TokenId>>& choices) {
  auto sorted = choices;
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  return sorted;
}

void refuse_bad_choices(const std::vector<std::vector<TokenId>>& sorted) {
  if (sorted.empty()) {
    throw Error(ErrorKind::kInvalidArgument, "token trie: there is no choice, expected at least 1");
  }
  if (sorted.front().empty()) {
    throw Error(ErrorKind::kInvalidArgument, "token trie: a choice has no tokens");
  }
  // Sorted, a prefix stands directly before one of the sequences it begins.
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const auto& shorter = sorted[i];
    const auto& longer = sorted[i + 1];
    if (shorter.size() < longer.size() &&
        std::equal(shorter.begin(), shorter.end(), longer.begin())) {
      throw Error(ErrorKind::kInvalidArgument,
                  "token trie: a choice of " + std::to_string(shorter.size()) +
                      " tokens is the beginning of another of " + std::to_string(longer.size()),
                  "end every choice with the same stop token");
    }
  }
}

}  // namespace

TokenTrie::TokenTrie(const std::vector<std::vector<TokenId>>& choices) {
  const auto sorted = sorted_unique(choices);
  refuse_bad_choices(sorted);
  // Breadth first: a node's children get consecutive numbers, in ascending order of their token.
  std::vector<Range> nodes{{0, sorted.size(), 0}};
  offsets_.push_back(0);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const Range range = nodes[node];
    for (std::size_t first = range.first; first < range.last;) {
      if (sorted[first].size() == range.depth) {
        break;  // a leaf: no sequence is the beginning of another, so the range is this one alone
      }
      const TokenId token = sorted[first][range.depth];
      std::size_t last = first + 1;
      while (last < range.last && sorted[last][range.depth] == token) {
        ++last;
      }
      tokens_.push_back(token);
      children_.push_back(static_cast<Node>(nodes.size()));
      nodes.push_back({first, last, range.depth + 1});
      first = last;
    }
    offsets_.push_back(static_cast<std::uint32_t>(tokens_.size()));
  }
}

std::span<const TokenId> TokenTrie::allowed(Node node) const {
  check(node + 1 < offsets_.size(), "a trie node must come from this trie");
  return std::span(tokens_).subspan(offsets_[node], offsets_[node + 1] - offsets_[node]);
}

TokenTrie::Node TokenTrie::child(Node node, std::size_t index) const {
  check(node + 1 < offsets_.size(), "a trie node must come from this trie");
  check(index < offsets_[node + 1] - offsets_[node], "a child's index must be below their number");
  return children_[offsets_[node] + index];
}

}  // namespace dreamgym
