#include "dreamgym/llm/bpe_tokenizer.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/chunk_cache.h"
#include "dreamgym/llm/internal/pair_merger.h"
#include "dreamgym/llm/internal/text_segments.h"

namespace dreamgym {

struct BpeTokenizer::Tables {
  explicit Tables(BpeVocabulary from)
      : vocabulary(std::move(from)),
        segmenter(vocabulary),
        merger(vocabulary.tokens, vocabulary.merges) {
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
      by_text.emplace(vocabulary.tokens[id], static_cast<TokenId>(id));
    }
    for (const TokenId id : vocabulary.markers) {
      markers.emplace(vocabulary.tokens[static_cast<std::size_t>(id)], id);
    }
  }

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text,
                                            TextSegmenter::Markers marker_mode) const {
    std::vector<TokenId> tokens;
    tokens.reserve(text.size() / 3);
    segmenter.for_each(text, marker_mode, [&](const TextSegment& segment) {
      if (segment.token >= 0) {
        tokens.push_back(segment.token);
      } else {
        append_merged(segment.text, tokens);
      }
    });
    return tokens;
  }

  void append_merged(std::string_view chunk, std::vector<TokenId>& tokens) const {
    if (const auto* known = cache.find(chunk)) {
      tokens.insert(tokens.end(), known->begin(), known->end());
      return;
    }
    std::vector<TokenId> merged;
    merger.append(chunk, merged);
    tokens.insert(tokens.end(), merged.begin(), merged.end());
    cache.insert(chunk, std::move(merged));
  }

  BpeVocabulary vocabulary;
  TextSegmenter segmenter;
  PairMerger merger;
  TokenByText by_text;
  TokenByText markers;
  mutable ChunkCache cache;
};

BpeTokenizer::BpeTokenizer(BpeVocabulary vocabulary) {
  if (const auto fault = find_fault(vocabulary)) {
    throw Error(ErrorKind::kInvalidArgument, "tokenizer: " + *fault);
  }
  tables_ = std::make_shared<const Tables>(std::move(vocabulary));
}

std::vector<TokenId> BpeTokenizer::encode(std::string_view text) const {
  return tables_->encode(text, TextSegmenter::Markers::kPlainText);
}

std::vector<TokenId> BpeTokenizer::encode_with_markers(std::string_view text) const {
  return tables_->encode(text, TextSegmenter::Markers::kRecognised);
}

std::string BpeTokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= vocabulary_size()) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("tokenizer: id {} is outside the vocabulary [0, {})", id, vocabulary_size()),
          "the ids come from another tokenizer");
    }
    text += tables_->vocabulary.tokens[static_cast<std::size_t>(id)];
  }
  return text;
}

std::optional<TokenId> BpeTokenizer::marker(std::string_view name) const {
  const auto found = tables_->markers.find(name);
  return found == tables_->markers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TokenId> BpeTokenizer::find(std::string_view text) const {
  const auto found = tables_->by_text.find(text);
  return found == tables_->by_text.end() ? std::nullopt : std::optional(found->second);
}

std::size_t BpeTokenizer::vocabulary_size() const {
  return tables_->vocabulary.tokens.size();
}

const BpeVocabulary& BpeTokenizer::vocabulary() const {
  return tables_->vocabulary;
}

void write_tokenizer(const BpeTokenizer& tokenizer, const Path& path) {
  write_file(path, tokenizer.to_json());
}

BpeTokenizer read_tokenizer(const Path& path) {
  return BpeTokenizer::from_json(read_file(path), path.string());
}

}  // namespace dreamgym
