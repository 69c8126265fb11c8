// A pattern over the tokens of a vocabulary: which may come next, after what has been said.
//
// Masks are computed when a place is first reached and kept; texts without bounds come back to the
// same places, so a reply costs a few masks. Fail closed: what a mask allows always leads on to a
// string of the pattern, and where the vocabulary can't spell one the reply is an error.
// Thread safety: all members may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/grammar/byte_automaton.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// The ordinary tokens of a vocabulary in the order of their bytes. Immutable.
class TokenSpellings {
 public:
  /// Special tokens and those without bytes are left out.
  explicit TokenSpellings(const PretrainedTokenizer& tokenizer);

  struct Spelling {
    std::string bytes;
    TokenId token = 0;
    std::size_t shared = 0;  ///< leading bytes in common with the one before
  };
  [[nodiscard]] std::span<const Spelling> sorted() const { return sorted_; }
  [[nodiscard]] std::size_t vocabulary_size() const { return bytes_of_.size(); }
  /// "" for tokens that are left out.
  [[nodiscard]] std::string_view bytes_of(TokenId token) const;

 private:
  std::vector<Spelling> sorted_;
  std::vector<std::size_t> bytes_of_;  // [V] index into sorted_, or kNone
};

class TokenGrammar {
 public:
  using State = ByteAutomaton::State;

  /// @param ends  tokens that may close a reply where its text is whole; may be empty.
  /// @throws Error kUnsupported for a pattern too large to be walked.
  TokenGrammar(const Pattern& pattern,
               std::shared_ptr<const TokenSpellings> spellings,
               std::vector<TokenId> ends);

  [[nodiscard]] State start() const { return automaton_.start(); }
  /// Bit t of word t / 64: whether token t may come next. Valid as long as the grammar.
  /// @throws Error kUnsupported if no token of the vocabulary can go on.
  [[nodiscard]] std::span<const std::uint64_t> allowed(State state) const;
  /// @param token  an allowed one, no end.
  [[nodiscard]] State after(State state, TokenId token) const;
  [[nodiscard]] bool is_end(TokenId token) const;
  /// Whether the text is whole and nothing may follow.
  [[nodiscard]] bool complete(State state) const;
  /// Whether the text is whole.
  [[nodiscard]] bool whole(State state) const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> make_mask(State state) const;

  std::shared_ptr<const TokenSpellings> spellings_;
  std::vector<TokenId> ends_;
  mutable std::mutex mutex_;
  mutable ByteAutomaton automaton_;
  mutable std::map<State, std::vector<std::uint64_t>> masks_;
};

}  // namespace dreamgym
