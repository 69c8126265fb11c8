#include "dreamgym/llm/bpe_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/markers.h"

namespace dreamgym {
namespace {

constexpr int kNumBytes = 256;
constexpr int kNumNumbers = 100;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

TokenId add_token(BpeVocabulary& vocabulary, std::string text) {
  vocabulary.tokens.push_back(std::move(text));
  return static_cast<TokenId>(vocabulary.tokens.size() - 1);
}

/// " 0" to " 99": blank and digit first, then the second digit. Digits occur in no other merge, so
/// a number never joins with what surrounds it.
void add_numbers(BpeVocabulary& vocabulary, TokenId first_byte) {
  const TokenId first_number = static_cast<TokenId>(vocabulary.tokens.size());
  for (int number = 0; number < kNumNumbers; ++number) {
    const TokenId token = add_token(vocabulary, fmt::format(" {}", number));
    const bool one_digit = number < 10;
    const TokenId left = one_digit ? first_byte + ' ' : first_number + number / 10;
    vocabulary.merges.push_back({left, first_byte + '0' + number % 10, token});
  }
}

/// What a name must be, or nothing if this is one.
std::optional<std::string> refuse_name(std::string_view word) {
  if (is_name_word(word)) {
    return std::nullopt;
  }
  return fmt::format(
      "\"{}\" can't be a name token, expected two or more ASCII letters or underscores", word);
}

std::optional<std::string> find_token_fault(const BpeVocabulary& vocabulary) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    if (vocabulary.tokens[i].empty()) {
      return fmt::format("token {} has no text", i);
    }
    const auto [other, is_new] = seen.emplace(vocabulary.tokens[i], i);
    if (!is_new) {
      return fmt::format("tokens {} and {} are both \"{}\"", other->second, i, other->first);
    }
  }
  for (int byte = 0; byte < kNumBytes; ++byte) {
    if (!seen.contains(std::string(1, static_cast<char>(byte)))) {
      return fmt::format("there is no token for byte {}, expected all 256", byte);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_merge_fault(const BpeVocabulary& vocabulary) {
  const auto size = static_cast<TokenId>(vocabulary.tokens.size());
  const auto known = [size](TokenId id) { return id >= 0 && id < size; };
  std::set<std::pair<TokenId, TokenId>> pairs;
  for (std::size_t rank = 0; rank < vocabulary.merges.size(); ++rank) {
    const auto& [left, right, result] = vocabulary.merges[rank];
    if (!known(left) || !known(right) || !known(result)) {
      return fmt::format("merge {} names a token outside [0, {})", rank, size);
    }
    const auto text = [&](TokenId id) { return vocabulary.tokens[static_cast<std::size_t>(id)]; };
    if (text(left) + text(right) != text(result)) {
      return fmt::format("merge {} makes \"{}\", but token {} is \"{}\"",
                         rank,
                         text(left) + text(right),
                         result,
                         text(result));
    }
    if (!pairs.emplace(left, right).second) {
      return fmt::format("merge {} repeats an earlier one of tokens {} and {}", rank, left, right);
    }
  }
  return std::nullopt;
}

/// Visible characters, and no letter or digit first: so where a marker begins, no word or number
/// does.
bool is_marker_text(std::string_view text) {
  if (text.size() < 2 || is_letter(text.front()) || (text.front() >= '0' && text.front() <= '9')) {
    return false;
  }
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

std::optional<std::string> find_added_fault(const BpeVocabulary& vocabulary) {
  const auto size = static_cast<TokenId>(vocabulary.tokens.size());
  std::set<TokenId> added;
  for (const auto* kind : {&vocabulary.markers, &vocabulary.names}) {
    for (const TokenId id : *kind) {
      if (id < 0 || id >= size) {
        return fmt::format("marker or name {} is outside [0, {})", id, size);
      }
      if (!added.insert(id).second) {
        return fmt::format("token {} is a marker or name twice", id);
      }
    }
  }
  const auto text = [&](TokenId id) { return vocabulary.tokens[static_cast<std::size_t>(id)]; };
  for (const TokenId id : vocabulary.markers) {
    if (!is_marker_text(text(id))) {
      return fmt::format(
          "marker {} is \"{}\", expected visible ASCII characters, not a letter or digit first",
          id,
          text(id));
    }
  }
  for (const TokenId id : vocabulary.names) {
    if (auto fault = refuse_name(text(id))) {
      return fault;
    }
  }
  for (const auto& merge : vocabulary.merges) {
    if (added.contains(merge.result)) {
      return fmt::format("token {} is a marker or name and made by a merge too", merge.result);
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_name_word(std::string_view word) {
  return word.size() >= 2 && std::ranges::all_of(word, is_letter);
}

BpeVocabulary base_vocabulary(const std::vector<std::string>& names, bool pooled) {
  BpeVocabulary vocabulary;
  for (const std::string_view marker : markers::kAll) {
    vocabulary.markers.push_back(add_token(vocabulary, std::string(marker)));
  }
  const auto first_byte = static_cast<TokenId>(vocabulary.tokens.size());
  for (int byte = 0; byte < kNumBytes; ++byte) {
    add_token(vocabulary, std::string(1, static_cast<char>(byte)));
  }
  add_numbers(vocabulary, first_byte);
  std::set<std::string_view> seen;
  for (const auto& name : names) {
    if (const auto fault = refuse_name(name)) {
      throw Error(ErrorKind::kInvalidArgument, "vocabulary: " + *fault);
    }
    if (!seen.insert(name).second) {
      throw Error(ErrorKind::kInvalidArgument, "vocabulary: name \"" + name + "\" comes twice");
    }
    vocabulary.names.push_back(add_token(vocabulary, name));
  }
  if (pooled) {
    vocabulary.name_pool = vocabulary.names;
  }
  return vocabulary;
}

std::string unused_token_text(TokenId id) {
  return fmt::format("<|unused_{}|>", id);
}

std::optional<std::string> find_fault(const BpeVocabulary& vocabulary) {
  if (auto fault = find_token_fault(vocabulary)) {
    return fault;
  }
  if (auto fault = find_merge_fault(vocabulary)) {
    return fault;
  }
  if (auto fault = find_added_fault(vocabulary)) {
    return fault;
  }
  if (!std::ranges::is_sorted(vocabulary.name_pool)) {
    return "the name pool is not in ascending order";
  }
  for (const TokenId id : vocabulary.name_pool) {
    if (std::ranges::find(vocabulary.names, id) == vocabulary.names.end()) {
      return fmt::format("token {} is in the name pool but is no name", id);
    }
  }
  return std::nullopt;
}

}  // namespace dreamgym
