// Byte-pair merging of one chunk: the earliest merge goes first, from left to right.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/bpe_vocabulary.h"

namespace dreamgym {

/// Thread safety: const members are reentrant.
class PairMerger {
 public:
  /// @param tokens  texts by id; those of one byte are what a chunk consists of at first.
  PairMerger(std::span<const std::string> tokens, std::span<const BpeVocabulary::Merge> merges);

  /// Appends the tokens of a chunk; O(n log n) in its bytes. A byte without a token is left out.
  void append(std::string_view chunk, std::vector<TokenId>& tokens) const;

 private:
  struct Rule {
    std::uint64_t pair = kNoPair;  // left << 32 | right
    std::uint32_t rank = 0;
    TokenId result = 0;
  };
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};

  [[nodiscard]] const Rule* find(TokenId left, TokenId right) const;
  [[nodiscard]] std::size_t slot_of(std::uint64_t pair) const;

  std::vector<TokenId> byte_tokens_;  // [256] -1 = none
  std::vector<Rule> rules_;           // open addressing, a power of two, at most half full
};

}  // namespace dreamgym
