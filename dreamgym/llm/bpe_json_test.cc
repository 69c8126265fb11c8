#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/bpe_trainer.h"
#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/internal/household_text.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

std::string example_json() {
  static const std::string json =
      train_bpe(
          household_texts(100), household_names(), {.vocabulary_size = 450, .names_are_pool = true})
          .to_json();
  return json;
}

/// The message of reading the example after replacing `from` by `to`.
std::string message_after(const std::string& from, const std::string& to, ErrorKind kind) {
  const std::string json = example_json();
  EXPECT_TRUE(contains(json, from)) << from;
  try {
    (void)BpeTokenizer::from_json(replace_all(json, from, to), "x.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_TRUE(contains(error.what(), "x.json")) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "read although \"" << from << "\" is \"" << to << "\"";
  return "";
}

std::string parse_message(const std::string& from, const std::string& to) {
  return message_after(from, to, ErrorKind::kParse);
}

TEST(TokenizerJson, GivesBackTheSameVocabulary) {
  const auto tokenizer = BpeTokenizer::from_json(example_json(), "example");
  EXPECT_EQ(tokenizer.vocabulary().name_pool.size(), household_names().size());
  EXPECT_EQ(tokenizer.to_json(), example_json());
}

TEST(TokenizerJson, SurvivesAFile) {
  const TemporaryFolder folder;
  const auto tokenizer = BpeTokenizer::from_json(example_json(), "example");
  write_tokenizer(tokenizer, folder.path() / "tokenizer.json");
  EXPECT_EQ(read_tokenizer(folder.path() / "tokenizer.json").vocabulary(), tokenizer.vocabulary());
  EXPECT_THROW(read_tokenizer(folder.path() / "absent.json"), Error);
}

TEST(TokenizerJson, ReadsMergesWrittenAsPairs) {
  const std::string json = replace_all(example_json(), "\"\xc4\xa0 0\"", "[\"\xc4\xa0\", \"0\"]");
  ASSERT_NE(json, example_json());
  EXPECT_EQ(BpeTokenizer::from_json(json, "example").to_json(), example_json());
}

TEST(TokenizerJson, WithoutOurOwnKeyHasNoNamePool) {
  const std::string json = replace_all(example_json(), "\"dreamgym\"", "\"other\"");
  const auto tokenizer = BpeTokenizer::from_json(json, "example");
  EXPECT_TRUE(tokenizer.vocabulary().name_pool.empty());
  EXPECT_EQ(tokenizer.vocabulary().names.size(), household_names().size());
}

TEST(TokenizerJson, SaysWhereTheFileIsBroken) {
  EXPECT_TRUE(contains(parse_message("\"added_tokens\": [", "\"added_tokens\": {"), "is not JSON"));
  EXPECT_TRUE(contains(parse_message("\"vocab\"", "\"words\""), "has no object \"model.vocab\""));
  EXPECT_TRUE(contains(parse_message("\"merges\"", "\"joins\""), "has no list \"model.merges\""));
  EXPECT_TRUE(contains(parse_message("\"\xc4\xa0\": 45", "\"\xc4\xa0\": 46"),
                       "gives the id 46 to two tokens"));
  EXPECT_TRUE(contains(parse_message("\"\xc4\xa0\": 45", "\"\xc4\xa0\": 4500"),
                       "the id 4500, expected one in [0, "));
  EXPECT_TRUE(contains(parse_message("\"\xc4\xa0\": 45", "\"\xc4\xa0\": \"45\""), "the id \"45\""));
  EXPECT_TRUE(contains(parse_message("\"\xc4\xa0 0\"", "\"\xc4\xa0\""),
                       "\"model.merges\" entry 0 is \"\xc4\xa0\", expected two tokens"));
  EXPECT_TRUE(contains(parse_message("\"\xc4\xa0 0\"", "\"\xc4\xa0 qqq\""), "needs \"qqq\""));
  EXPECT_TRUE(contains(parse_message("\"mug\": ", "\"\xe2\x82\xac\": "), "spells no byte"));
  EXPECT_TRUE(contains(parse_message("\"content\": \"mug\"", "\"content\": \"jug\""),
                       "needs \"jug\", which is not in \"model.vocab\""));
  EXPECT_TRUE(contains(parse_message("\"content\": \"mug\"", "\"content\": 3"),
                       "has no \"content\" (text) and \"id\" (integer)"));
  EXPECT_TRUE(contains(parse_message("\"content\": \"mug\"", "\"content\": \"desk\""),
                       "gives \"desk\" the id"));
}

TEST(TokenizerJson, SaysWhatItDoesNotSupport) {
  const auto message = [](const std::string& from, const std::string& to) {
    return message_after(from, to, ErrorKind::kUnsupported);
  };
  EXPECT_TRUE(contains(message("\"BPE\"", "\"WordPiece\""), "\"model.type\" is \"WordPiece\""));
  EXPECT_TRUE(contains(message("\"byte_fallback\": false", "\"byte_fallback\": true"),
                       "\"model.byte_fallback\" is true"));
  EXPECT_TRUE(
      contains(message("\"unk_token\": null", "\"unk_token\": \"?\""), "\"model.unk_token\""));
  EXPECT_TRUE(contains(message("\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}"),
                       "\"normalizer\" is {\"type\":\"NFC\"}"));
  EXPECT_TRUE(contains(message("\" ?[0-9]+\"", "\"[0-9]\""), "\"pre_tokenizer\" is"));
  EXPECT_TRUE(contains(message("\"lstrip\": false", "\"lstrip\": true"), "is neither a marker"));
}

TEST(TokenizerJson, NeverCrashesOnADamagedFile) {
  const std::string json = example_json();
  std::size_t num_refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    std::string damaged = json;
    damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    if (rng.below(2) == 0) {
      damaged.resize(rng.below(damaged.size()));
    }
    try {
      (void)BpeTokenizer::from_json(damaged, "damaged");
    } catch (const Error&) {
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 20U);
}

/// tests/golden/tokenizer/make_cases.py makes the ids with the tokenizers library.
TEST(TokenizerJson, GivesTheIdsOfTheTokenizersLibrary) {
  const Path folder = Path(DREAMGYM_SOURCE_DIR) / "tests/golden/tokenizer";
  const auto tokenizer = read_tokenizer(folder / "tokenizer.json");
  std::size_t num_cases = 0;
  for_each_line(folder / "cases.jsonl", [&](std::size_t number, std::string_view line) {
    const auto expected = nlohmann::json::parse(line);
    const auto text = expected.at("text").get<std::string>();
    EXPECT_EQ(tokenizer.encode_with_markers(text), expected.at("ids").get<std::vector<TokenId>>())
        << "line " << number;
    EXPECT_EQ(tokenizer.encode(text), expected.at("plain").get<std::vector<TokenId>>())
        << "line " << number;
    ++num_cases;
    return true;
  });
  EXPECT_EQ(num_cases, 300U);
}

TEST(ByteSpelling, SpellsEveryByteItsOwnWay) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(unspell_bytes(spell_bytes(text)), text) << byte;
  }
  EXPECT_EQ(spell_bytes("a b\n"),
            "a\xc4\xa0"
            "b\xc4\x8a");
  EXPECT_EQ(unspell_bytes(" "), std::nullopt);
  EXPECT_EQ(unspell_bytes("\xe2\x82\xac"), std::nullopt);
  EXPECT_EQ(unspell_bytes("\xc4"), std::nullopt);
}

}  // namespace
}  // namespace dreamgym
