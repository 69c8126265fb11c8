#include "dreamgym/llm/tokenizers/word_piece.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<TokenId>;

TEST(WordPiece, GivesTheReferenceIdsOfMiniLm) {
  const Path folder = language_model_data() / "tokenizer";
  DREAMGYM_NEEDS_FILE(folder / "minilm_tokenizer.json");
  const WordPieceTokenizer tokenizer = read_word_piece(folder / "minilm_tokenizer.json");
  EXPECT_EQ(tokenizer.vocabulary_size(), 30522U);
  for_each_line(folder / "strings.jsonl", [&](std::size_t number, std::string_view line) {
    const Json entry = Json::parse(line);
    const auto text = entry["text"].get<std::string>();
    EXPECT_EQ(tokenizer.encode(text), entry["minilm"].get<Ids>()) << "line " << number << text;
    return true;
  });
}

/// [CLS] text [SEP] over a handful of pieces.
Json small_document() {
  return Json::parse(R"({
    "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing", "single": [
      {"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "[SEP]"}}]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 5,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##able": 4, "##a": 5, "!": 6}}})");
}

TEST(WordPiece, TakesTheLongestPieceFirst) {
  const auto tokenizer = WordPieceTokenizer::from_json(small_document().dump(), "x");
  EXPECT_EQ(tokenizer.encode("Una! \xc3\x9cn"), (Ids{1, 3, 5, 6, 3, 2}));
  EXPECT_EQ(tokenizer.encode(""), (Ids{1, 2}));
}

TEST(WordPiece, CallsLongAndUnknownWordsUnknown) {
  const auto tokenizer = WordPieceTokenizer::from_json(small_document().dump(), "x");
  EXPECT_EQ(tokenizer.encode("unable unx"), (Ids{1, 0, 0, 2}));  // six characters, and no ##x
  EXPECT_EQ(tokenizer.encode("\xff\xfe"), (Ids{1, 2}));
}

TEST(WordPiece, RefusesOtherKindsAndBrokenFiles) {
  const auto refuses = [](const char* pointer, const Json& value) {
    Json document = small_document();
    document[Json::json_pointer(pointer)] = value;
    EXPECT_THROW((void)WordPieceTokenizer::from_json(document.dump(), "x"), Error) << pointer;
  };
  refuses("/model/type", "BPE");
  refuses("/normalizer/type", "NFC");
  refuses("/pre_tokenizer", nullptr);
  refuses("/model/unk_token", "<none>");
  refuses("/model/vocab", "none");
  refuses("/model/vocab/un", "three");
  refuses("/post_processor/single/0/SpecialToken/id", "[BOS]");
  EXPECT_THROW((void)WordPieceTokenizer::from_json("[]", "x"), Error);
}

}  // namespace
}  // namespace dreamgym
