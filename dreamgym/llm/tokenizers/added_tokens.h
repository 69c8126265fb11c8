// Tokens that are found in the text itself, before anything is cut or merged.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/text_span.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// One entry of "added_tokens" in tokenizer.json.
struct AddedToken {
  TokenId id = 0;
  std::string text;
  bool single_word = false;  ///< only where no word character touches it
  bool strip_left = false;   ///< takes the blanks before it too
  bool strip_right = false;  ///< takes the blanks after it too
  bool normalized = false;   ///< looked for in the normalised text
  bool special = false;      ///< ordinary text where markers are plain
  bool operator==(const AddedToken&) const = default;
};

/// Whether special tokens written in a text become their ids or are text like any other.
enum class Markers { kPlainText, kRecognised };

/// Finds added tokens from left to right, the longest of those that begin at one place.
/// Thread safety: const members are reentrant.
class AddedTokenFinder {
 public:
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  struct Match {
    std::size_t begin = 0;  ///< blanks that the token takes included
    std::size_t end = 0;
    TokenId id = 0;
  };
  /// The first match at or after `from`.
  /// @param plain  ascending; no special token is found that touches one of these.
  [[nodiscard]] std::optional<Match> find(std::string_view text,
                                          std::size_t from,
                                          Markers markers,
                                          std::span<const TextSpan> plain = {}) const;
  [[nodiscard]] const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  /// The longest token at this place, or null.
  [[nodiscard]] const AddedToken* token_at(std::string_view text, std::size_t position) const;

  std::vector<AddedToken> tokens_;  // by first byte, then longest first
  struct Group {                    // those with one first byte
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t common_bytes = 0;  // that all of them begin with
  };
  std::array<Group, 256> groups_{};
};

}  // namespace dreamgym
