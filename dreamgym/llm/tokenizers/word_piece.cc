#include "dreamgym/llm/tokenizers/word_piece.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/utf8.h"
#include "dreamgym/llm/internal/bert_text.h"
#include "dreamgym/llm/internal/text_segments.h"
#include "dreamgym/llm/internal/vocabulary_layout.h"
#include "dreamgym/llm/tokenizers/added_tokens.h"

namespace dreamgym {

struct WordPieceTokenizer::Tables {
  BertNormalizer normalizer;
  TokenByText beginnings;     // tokens that may begin a word
  TokenByText continuations;  // those after the prefix, without it
  std::size_t longest_bytes = 0;
  std::size_t max_word_characters = 0;
  TokenId unknown = 0;
  std::vector<TokenId> before;  // put before and after every text
  std::vector<TokenId> after;
  AddedTokenFinder added{{}};
  std::size_t vocabulary_size = 0;

  void append_word(std::string_view word, std::vector<TokenId>& ids) const;
};

namespace {

using Json = nlohmann::json;

std::size_t num_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

[[noreturn]] void refuse(const std::string& origin, const char* key, const Json& got) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: \"{}\" is {}", origin, key, excerpt(got)),
              "supported are WordPiece tokenizers with BERT's normaliser and pre-tokeniser");
}

/// The member of that type, or an error that shows what is there.
Json part(const Json& root, const char* key, const char* type, const std::string& origin) {
  const Json value = root.value(key, Json());
  if (!value.is_object() || value.value("type", Json()) != type) {
    refuse(origin, key, value);
  }
  return value;
}

BertNormalizer read_normalizer(const Json& json) {
  const auto flag = [&](const char* key, bool otherwise) {
    const Json value = json.value(key, Json());
    return value.is_boolean() ? value.get<bool>() : otherwise;
  };
  BertNormalizer normalizer;
  normalizer.clean_text = flag("clean_text", true);
  normalizer.split_chinese = flag("handle_chinese_chars", true);
  normalizer.lowercase = flag("lowercase", true);
  normalizer.strip_accents = flag("strip_accents", normalizer.lowercase);
  return normalizer;
}

}  // namespace

void WordPieceTokenizer::Tables::append_word(std::string_view word,
                                             std::vector<TokenId>& ids) const {
  if (num_characters(word) > max_word_characters) {
    ids.push_back(unknown);
    return;
  }
  const std::size_t first = ids.size();
  for (std::size_t begin = 0; begin < word.size();) {
    const TokenByText& tokens = begin == 0 ? beginnings : continuations;
    std::size_t length = std::min(word.size() - begin, longest_bytes);
    auto found = tokens.find(word.substr(begin, length));
    while (found == tokens.end() && length > 1) {
      found = tokens.find(word.substr(begin, --length));
    }
    if (found == tokens.end()) {
      ids.resize(first);
      ids.push_back(unknown);
      return;
    }
    ids.push_back(found->second);
    begin += length;
  }
}

WordPieceTokenizer WordPieceTokenizer::from_json(std::string_view json, const std::string& origin) {
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object()) {
    fail_tokenizer(origin, "is not a JSON object");
  }
  const Json model = part(root, "model", "WordPiece", origin);
  auto tables = std::make_shared<Tables>();
  tables->normalizer = read_normalizer(part(root, "normalizer", "BertNormalizer", origin));
  part(root, "pre_tokenizer", "BertPreTokenizer", origin);
  try {
    const auto prefix = model.value("continuing_subword_prefix", std::string("##"));
    for (const auto& [text, id] : model.at("vocab").items()) {
      const auto token = id.get<TokenId>();
      tables->beginnings.emplace(text, token);
      if (text.starts_with(prefix)) {
        tables->continuations.emplace(text.substr(prefix.size()), token);
      }
      tables->longest_bytes = std::max(tables->longest_bytes, text.size());
    }
    tables->unknown = tables->beginnings.at(model.value("unk_token", std::string("[UNK]")));
    tables->max_word_characters = model.value("max_input_chars_per_word", std::size_t{100});
    const Json template_part = part(root, "post_processor", "TemplateProcessing", origin);
    std::vector<TokenId>* side = &tables->before;
    for (const Json& piece : template_part.at("single")) {
      if (piece.contains("Sequence")) {
        side = &tables->after;
      } else {
        side->push_back(tables->beginnings.at(piece.at("SpecialToken").at("id")));
      }
    }
    PretrainedVocabulary added;
    read_added_tokens(root, origin, added);
    tables->vocabulary_size = std::max(added.tokens.size(), tables->beginnings.size());
    tables->added = AddedTokenFinder(added.added);
  } catch (const Json::exception& error) {
    fail_tokenizer(origin,
                   fmt::format("an entry is missing or of the wrong type ({})", error.what()));
  } catch (const std::out_of_range&) {
    fail_tokenizer(origin, "a special token is not in the vocabulary");
  }
  return WordPieceTokenizer(std::move(tables));
}

std::vector<TokenId> WordPieceTokenizer::encode(std::string_view text) const {
  std::vector<TokenId> ids = tables_->before;
  const auto append_text = [&](std::string_view part) {
    const std::string normalized = bert_normalize(part, tables_->normalizer);
    for (const std::string_view word : bert_words(normalized)) {
      tables_->append_word(word, ids);
    }
  };
  std::size_t position = 0;
  while (const auto match = tables_->added.find(text, position, Markers::kRecognised)) {
    append_text(text.substr(position, match->begin - position));
    ids.push_back(match->id);
    position = match->end;
  }
  append_text(text.substr(position));
  ids.insert(ids.end(), tables_->after.begin(), tables_->after.end());
  return ids;
}

std::size_t WordPieceTokenizer::vocabulary_size() const {
  return tables_->vocabulary_size;
}

WordPieceTokenizer read_word_piece(const Path& tokenizer_json) {
  return WordPieceTokenizer::from_json(read_file(tokenizer_json), tokenizer_json.string());
}

}  // namespace dreamgym
