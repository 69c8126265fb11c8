#include "dreamgym/llm/internal/pair_merger.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace dreamgym {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint64_t pair_key(TokenId left, TokenId right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U |
         static_cast<std::uint32_t>(right);
}

/// A piece of the chunk that has become one token; a list, so that a merge moves nothing.
struct Piece {
  TokenId token;
  std::uint32_t previous;
  std::uint32_t next;
};

}  // namespace

PairMerger::PairMerger(std::span<const std::string> tokens,
                       std::span<const BpeVocabulary::Merge> merges)
    : byte_tokens_(256, -1), rules_(std::bit_ceil(2 * merges.size() + 2)) {
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].size() == 1) {
      byte_tokens_[static_cast<unsigned char>(tokens[id].front())] = static_cast<TokenId>(id);
    }
  }
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& merge = merges[rank];
    const std::uint64_t pair = pair_key(merge.left, merge.right);
    rules_[slot_of(pair)] = {pair, static_cast<std::uint32_t>(rank), merge.result};
  }
}

std::size_t PairMerger::slot_of(std::uint64_t pair) const {
  const std::size_t mask = rules_.size() - 1;
  std::size_t slot = (pair * 0x9e3779b97f4a7c15U >> 32U) & mask;
  while (rules_[slot].pair != kNoPair && rules_[slot].pair != pair) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

const PairMerger::Rule* PairMerger::find(TokenId left, TokenId right) const {
  const Rule& rule = rules_[slot_of(pair_key(left, right))];
  return rule.pair == kNoPair ? nullptr : &rule;
}

void PairMerger::append(std::string_view chunk, std::vector<TokenId>& tokens) const {
  std::vector<Piece> pieces;
  pieces.reserve(chunk.size());
  std::vector<std::uint64_t> open;  // heap of rank << 32 | index of the left piece, smallest first
  const auto offer = [&](std::uint32_t left) {
    const std::uint32_t right = pieces[left].next;
    if (right == kNone) {
      return;
    }
    if (const Rule* rule = find(pieces[left].token, pieces[right].token)) {
      open.push_back(std::uint64_t{rule->rank} << 32U | left);
      std::ranges::push_heap(open, std::greater{});
    }
  };
  for (const char byte : chunk) {
    const auto i = static_cast<std::uint32_t>(pieces.size());
    if (const TokenId token = byte_tokens_[static_cast<unsigned char>(byte)]; token >= 0) {
      pieces.push_back({token, i == 0 ? kNone : i - 1, i + 1});
    }
  }
  if (!pieces.empty()) {
    pieces.back().next = kNone;
  }
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    offer(i);
  }
  while (!open.empty()) {
    std::ranges::pop_heap(open, std::greater{});
    const auto left = static_cast<std::uint32_t>(open.back());
    const auto rank = static_cast<std::uint32_t>(open.back() >> 32U);
    open.pop_back();
    const std::uint32_t right = pieces[left].token < 0 ? kNone : pieces[left].next;
    const Rule* rule = right == kNone ? nullptr : find(pieces[left].token, pieces[right].token);
    if (rule == nullptr || rule->rank != rank) {
      continue;  // one of the two has been merged with another neighbour since
    }
    pieces[left].token = rule->result;
    pieces[left].next = pieces[right].next;
    pieces[right].token = -1;
    if (pieces[left].next != kNone) {
      pieces[pieces[left].next].previous = left;
    }
    if (pieces[left].previous != kNone) {
      offer(pieces[left].previous);
    }
    offer(left);
  }
  for (std::uint32_t i = 0; i < pieces.size() && i != kNone; i = pieces[i].next) {
    tokens.push_back(pieces[i].token);
  }
}

}  // namespace dreamgym
