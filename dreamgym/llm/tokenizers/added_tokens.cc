#include "dreamgym/llm/tokenizers/added_tokens.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/utf8.h"
#include "dreamgym/llm/internal/character_class.h"
#include "dreamgym/llm/internal/word_character.h"

namespace dreamgym {
namespace {

unsigned first_byte(const std::string& text) {
  return static_cast<unsigned char>(text.front());
}

std::size_t common_prefix_bytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Where the blanks that end at `position` begin, not before `limit`.
std::size_t blanks_before(std::string_view text, std::size_t limit, std::size_t position) {
  while (position > limit) {
    std::size_t start = position - 1;
    while (start > limit && (static_cast<unsigned char>(text[start]) & 0xc0U) == 0x80U) {
      --start;
    }
    const Utf8Character character = utf8_character(text, start);
    if (start + character.num_bytes != position || !is_white_space(character.code_point)) {
      break;
    }
    position = start;
  }
  return position;
}

std::size_t blanks_after(std::string_view text, std::size_t position) {
  while (position < text.size()) {
    const Utf8Character character = utf8_character(text, position);
    if (character.num_bytes == 0 || !is_white_space(character.code_point)) {
      break;
    }
    position += character.num_bytes;
  }
  return position;
}

bool touches(std::span<const TextSpan> spans, std::size_t begin, std::size_t end) {
  const auto span = std::ranges::upper_bound(spans, begin, {}, &TextSpan::end);
  return span != spans.end() && span->begin < end;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (const AddedToken& token : tokens_) {
    check(!token.text.empty(), "an added token has a text");
  }
  std::ranges::sort(tokens_, {}, [](const AddedToken& token) {
    return std::tuple(first_byte(token.text), -static_cast<std::ptrdiff_t>(token.text.size()));
  });
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    Group& group = groups_[first_byte(tokens_[i].text)];
    if (group.end == 0) {
      group = {i, i, tokens_[i].text.size()};
    }
    group.end = i + 1;
    group.common_bytes = std::min(group.common_bytes,
                                  common_prefix_bytes(tokens_[group.begin].text, tokens_[i].text));
  }
}

const AddedToken* AddedTokenFinder::token_at(std::string_view text, std::size_t position) const {
  const Group& group = groups_[static_cast<unsigned char>(text[position])];
  const std::string_view rest = text.substr(position);
  if (group.end == 0 ||
      !rest.starts_with(
          std::string_view(tokens_[group.begin].text).substr(0, group.common_bytes))) {
    return nullptr;
  }
  for (std::size_t i = group.begin; i < group.end; ++i) {
    if (rest.starts_with(tokens_[i].text)) {
      return &tokens_[i];
    }
  }
  return nullptr;
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(
    std::string_view text,
    std::size_t from,
    Markers markers,
    std::span<const TextSpan> plain) const {
  std::size_t position = from;
  while (position < text.size()) {
    const AddedToken* token = token_at(text, position);
    if (token == nullptr) {
      ++position;
      continue;
    }
    const std::size_t begin = position;
    const std::size_t end = begin + token->text.size();
    position = end;  // where a token is passed over, none is looked for inside it
    if (token->special && (markers == Markers::kPlainText || touches(plain, begin, end))) {
      continue;
    }
    if (token->single_word &&
        (word_character_before(text, begin) || word_character_at(text, end))) {
      continue;
    }
    return Match{token->strip_left ? blanks_before(text, from, begin) : begin,
                 token->strip_right ? blanks_after(text, end) : end,
                 token->id};
  }
  return std::nullopt;
}

}  // namespace dreamgym
