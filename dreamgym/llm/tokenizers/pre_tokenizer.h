// How a text is cut into the pieces in which byte pairs may merge.
//
// Four known cuts, written as scanners over character classes; the regular expressions they stand
// for are below, and a test holds the two against each other. Deviation: bytes that are no UTF-8
// count as characters of no class (the reference takes no such text).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dreamgym {

enum class PreTokenizer {
  kGpt2,     ///< kGpt2Pattern
  kSmolLm2,  ///< each number character alone, then kGpt2Pattern on what lies between
  kLlama3,   ///< kLlama3Pattern
  kQwen2,    ///< kQwen2Pattern
};

/// As tokenizer.json writes them.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The cut that a Split pattern of tokenizer.json asks for, or nothing if it is none we know.
std::optional<PreTokenizer> pre_tokenizer_of_pattern(std::string_view pattern);

/// Where the piece that begins at `begin` (inside the text) ends. Thread safety: reentrant.
std::size_t end_of_piece(PreTokenizer cut, std::string_view text, std::size_t begin);

}  // namespace dreamgym
