#include "dreamgym/llm/grammar/token_grammar.h"

#include <algorithm>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::size_t kWordBits = 64;

}  // namespace

TokenSpellings::TokenSpellings(const PretrainedTokenizer& tokenizer)
    : bytes_of_(tokenizer.vocabulary_size(), kNone) {
  for (std::size_t i = 0; i < bytes_of_.size(); ++i) {
    const auto token = static_cast<TokenId>(i);
    const std::string_view bytes = tokenizer.text_of(token);
    if (!bytes.empty() && !tokenizer.is_special(token)) {
      sorted_.push_back({std::string(bytes), token, 0});
    }
  }
  std::ranges::sort(sorted_, [](const Spelling& a, const Spelling& b) {
    return std::pair(std::string_view(a.bytes), a.token) <
           std::pair(std::string_view(b.bytes), b.token);
  });
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    bytes_of_[static_cast<std::size_t>(sorted_[i].token)] = i;
    if (i > 0) {
      const auto apart = std::ranges::mismatch(sorted_[i - 1].bytes, sorted_[i].bytes);
      sorted_[i].shared = static_cast<std::size_t>(apart.in2 - sorted_[i].bytes.begin());
    }
  }
}

std::string_view TokenSpellings::bytes_of(TokenId token) const {
  const std::size_t index = bytes_of_[static_cast<std::size_t>(token)];
  return index == kNone ? std::string_view() : std::string_view(sorted_[index].bytes);
}

TokenGrammar::TokenGrammar(const Pattern& pattern,
                           std::shared_ptr<const TokenSpellings> spellings,
                           std::vector<TokenId> ends)
    : spellings_(std::move(spellings)), ends_(std::move(ends)), automaton_(pattern) {}

std::span<const std::uint64_t> TokenGrammar::allowed(State state) const {
  const std::scoped_lock lock(mutex_);
  const auto found = masks_.find(state);
  if (found != masks_.end()) {
    return found->second;
  }
  std::vector<std::uint64_t> mask = make_mask(state);
  if (std::ranges::all_of(mask, [](std::uint64_t word) { return word == 0; })) {
    throw Error(ErrorKind::kUnsupported,
                "no token of the vocabulary can go on with the reply as its grammar asks",
                "the vocabulary lacks some bytes, or the model names no token that ends a reply");
  }
  return masks_.emplace(state, std::move(mask)).first->second;
}

// Tokens that begin alike are walked once as far as they do; where that way is dead, so are they.
std::vector<std::uint64_t> TokenGrammar::make_mask(State state) const {
  std::vector<std::uint64_t> mask((spellings_->vocabulary_size() + kWordBits - 1) / kWordBits);
  const auto allow = [&](TokenId token) {
    const auto bit = static_cast<std::size_t>(token);
    mask[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
  };
  std::vector<State> along = {state};  // after each byte of the present token
  for (const TokenSpellings::Spelling& spelling : spellings_->sorted()) {
    along.resize(std::min(along.size(), spelling.shared + 1));
    while (along.size() <= spelling.bytes.size() && along.back() != ByteAutomaton::kDead) {
      along.push_back(automaton_.next(
          along.back(), static_cast<unsigned char>(spelling.bytes[along.size() - 1])));
    }
    if (along.back() != ByteAutomaton::kDead) {
      allow(spelling.token);
    }
  }
  if (automaton_.accepts(state)) {
    for (const TokenId end : ends_) {
      allow(end);
    }
  }
  return mask;
}

TokenGrammar::State TokenGrammar::after(State state, TokenId token) const {
  const std::scoped_lock lock(mutex_);
  const State next = automaton_.next(state, spellings_->bytes_of(token));
  check(next != ByteAutomaton::kDead, "only allowed tokens are taken");
  return next;
}

bool TokenGrammar::is_end(TokenId token) const {
  return std::ranges::find(ends_, token) != ends_.end();
}

bool TokenGrammar::complete(State state) const {
  const std::scoped_lock lock(mutex_);
  return automaton_.accepts(state) && !automaton_.continues(state);
}

bool TokenGrammar::whole(State state) const {
  const std::scoped_lock lock(mutex_);
  return automaton_.accepts(state);
}

}  // namespace dreamgym
