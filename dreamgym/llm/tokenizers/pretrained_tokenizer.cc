#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/chunk_cache.h"
#include "dreamgym/llm/internal/normal_form.h"
#include "dreamgym/llm/internal/pair_merger.h"
#include "dreamgym/llm/internal/text_segments.h"

namespace dreamgym {
namespace {

void check_ids(const PretrainedVocabulary& vocabulary) {
  const auto size = static_cast<TokenId>(vocabulary.tokens.size());
  const auto check_id = [&](TokenId id, const char* what) {
    if (id < 0 || id >= size) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("tokenizer: {} has the id {}, outside [0, {})", what, id, size));
    }
  };
  for (const auto& merge : vocabulary.merges) {
    check_id(merge.left, "a merge's left side");
    check_id(merge.right, "a merge's right side");
    check_id(merge.result, "a merge's result");
  }
  for (const AddedToken& token : vocabulary.added) {
    check_id(token.id, "an added token");
  }
}

std::vector<AddedToken> added_tokens(const PretrainedVocabulary& vocabulary, bool normalized) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : vocabulary.added) {
    if (token.normalized == normalized) {
      tokens.push_back(token);
      if (normalized && vocabulary.nfc) {
        tokens.back().text = to_nfc(token.text);
      }
    }
  }
  return tokens;
}

/// Calls visit(text, id) for the added tokens in a text (id >= 0) and what lies between (id -1).
template <class Visit>
void for_each_part(const AddedTokenFinder& finder,
                   std::string_view text,
                   Markers markers,
                   std::span<const TextSpan> plain,
                   const Visit& visit) {
  std::size_t position = 0;
  while (const auto match = finder.find(text, position, markers, plain)) {
    if (match->begin > position) {
      visit(text.substr(position, match->begin - position), TokenId{-1});
    }
    visit(text.substr(match->begin, match->end - match->begin), match->id);
    position = match->end;
  }
  if (position < text.size()) {
    visit(text.substr(position), TokenId{-1});
  }
}

}  // namespace

struct PretrainedTokenizer::Tables {
  explicit Tables(PretrainedVocabulary from)
      : vocabulary(std::move(from)),
        as_written(added_tokens(vocabulary, false)),
        as_normalized(added_tokens(vocabulary, true)),
        merger(vocabulary.tokens, vocabulary.merges),
        texts(vocabulary.tokens),
        special(vocabulary.tokens.size()) {
    for (std::size_t id = 0; vocabulary.whole_pieces && id < vocabulary.tokens.size(); ++id) {
      by_text.emplace(vocabulary.tokens[id], static_cast<TokenId>(id));
    }
    for (const AddedToken& token : vocabulary.added) {
      const auto id = static_cast<std::size_t>(token.id);
      texts[id] = token.text;
      special[id] = token.special;
      markers.emplace(token.text, token.id);
    }
  }

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text,
                                            Markers mode,
                                            std::span<const TextSpan> plain) const {
    // Places in a text that has been normalised are others, so there plain means all of it.
    const Markers mode_inside = plain.empty() ? mode : Markers::kPlainText;
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 3);
    for_each_part(as_written, text, mode, plain, [&](std::string_view part, TokenId id) {
      if (id >= 0) {
        ids.push_back(id);
      } else if (vocabulary.nfc && !is_surely_nfc(part)) {
        append_normalized(to_nfc(part), mode_inside, ids);
      } else {
        append_normalized(part, mode_inside, ids);
      }
    });
    return ids;
  }

  void append_normalized(std::string_view text, Markers mode, std::vector<TokenId>& ids) const {
    for_each_part(as_normalized, text, mode, {}, [&](std::string_view part, TokenId id) {
      if (id >= 0) {
        ids.push_back(id);
        return;
      }
      for (std::size_t begin = 0; begin < part.size();) {
        const std::size_t end = end_of_piece(vocabulary.pre_tokenizer, part, begin);
        append_piece(part.substr(begin, end - begin), ids);
        begin = end;
      }
    });
  }

  void append_piece(std::string_view piece, std::vector<TokenId>& ids) const {
    if (const auto* known = cache.find(piece)) {
      ids.insert(ids.end(), known->begin(), known->end());
      return;
    }
    std::vector<TokenId> merged;
    if (const auto whole = by_text.find(piece); whole != by_text.end()) {
      merged.push_back(whole->second);
    } else {
      merger.append(piece, merged);
    }
    ids.insert(ids.end(), merged.begin(), merged.end());
    cache.insert(piece, std::move(merged));
  }

  PretrainedVocabulary vocabulary;
  AddedTokenFinder as_written;
  AddedTokenFinder as_normalized;
  PairMerger merger;
  std::vector<std::string> texts;  // [V] as decoded
  std::vector<bool> special;       // [V]
  TokenByText by_text;             // for whole pieces only
  TokenByText markers;
  mutable ChunkCache cache;
};

PretrainedTokenizer::PretrainedTokenizer(PretrainedVocabulary vocabulary) {
  check_ids(vocabulary);
  tables_ = std::make_shared<const Tables>(std::move(vocabulary));
}

std::vector<TokenId> PretrainedTokenizer::encode(std::string_view text) const {
  return tables_->encode(text, Markers::kPlainText, {});
}

std::vector<TokenId> PretrainedTokenizer::encode_with_markers(std::string_view text) const {
  return tables_->encode(text, Markers::kRecognised, {});
}

std::vector<TokenId> PretrainedTokenizer::encode_with_markers(
    std::string_view text, std::span<const TextSpan> plain) const {
  return tables_->encode(text, Markers::kRecognised, plain);
}

std::string PretrainedTokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) {
    text += text_of(id);
  }
  return text;
}

std::optional<TokenId> PretrainedTokenizer::marker(std::string_view name) const {
  const auto found = tables_->markers.find(name);
  return found == tables_->markers.end() ? std::nullopt : std::optional(found->second);
}

std::size_t PretrainedTokenizer::vocabulary_size() const {
  return tables_->texts.size();
}

std::string_view PretrainedTokenizer::text_of(TokenId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= vocabulary_size()) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("tokenizer: id {} is outside the vocabulary [0, {})", id, vocabulary_size()),
        "the ids come from another tokenizer");
  }
  return tables_->texts[static_cast<std::size_t>(id)];
}

bool PretrainedTokenizer::is_special(TokenId id) const {
  return id >= 0 && static_cast<std::size_t>(id) < vocabulary_size() &&
         tables_->special[static_cast<std::size_t>(id)];
}

const PretrainedVocabulary& PretrainedTokenizer::vocabulary() const {
  return tables_->vocabulary;
}

PretrainedTokenizer read_pretrained_tokenizer(const Path& tokenizer_json) {
  return PretrainedTokenizer(
      vocabulary_from_json(read_file(tokenizer_json), tokenizer_json.string()));
}

}  // namespace dreamgym
