#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

#include <gtest/gtest.h>

#include <functional>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/internal/household_text.h"
#include "dreamgym/llm/internal/normal_form.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Path tokenizer_data() {
  return language_model_data() / "tokenizer";
}

PretrainedTokenizer tiktoken(const Path& ranks, const Path& layout) {
  return PretrainedTokenizer(
      vocabulary_from_tiktoken(read_file(ranks), read_file(layout), ranks.string()));
}

/// Every reference string in both modes, and back to text.
void expect_reference_ids(const PretrainedTokenizer& tokenizer, const std::string& name) {
  std::size_t num_strings = 0;
  for_each_line(tokenizer_data() / "strings.jsonl", [&](std::size_t number, std::string_view line) {
    const Json entry = Json::parse(line);
    const auto text = entry["text"].get<std::string>();
    const auto expected = entry[name].get<std::vector<TokenId>>();
    const auto expected_plain =
        entry.value(name + "_plain", entry[name]).get<std::vector<TokenId>>();
    EXPECT_EQ(tokenizer.encode_with_markers(text), expected) << "line " << number << ": " << text;
    EXPECT_EQ(tokenizer.encode(text), expected_plain) << "line " << number << ": " << text;
    const std::string back = tokenizer.vocabulary().nfc ? to_nfc(text) : text;
    EXPECT_EQ(tokenizer.decode(expected), back) << "line " << number;
    EXPECT_EQ(tokenizer.decode(expected_plain), back) << "line " << number;
    ++num_strings;
    return true;
  });
  EXPECT_GT(num_strings, 100U);
}

TEST(PretrainedTokenizer, GivesTheReferenceIdsOfSmolLm2) {
  const Path file = tokenizer_data() / "smollm2_tokenizer.json";
  DREAMGYM_NEEDS_FILE(file);
  expect_reference_ids(read_pretrained_tokenizer(file), "smollm2");
}

TEST(PretrainedTokenizer, GivesTheReferenceIdsOfQwen3FromTiktoken) {
  const Path ranks = tokenizer_data() / "qwen.tiktoken";
  DREAMGYM_NEEDS_FILE(ranks);
  expect_reference_ids(tiktoken(ranks, tokenizer_data() / "qwen_added_tokens.json"), "qwen");
}

TEST(PretrainedTokenizer, GivesTheReferenceIdsOfQwen3) {
  const Path file = fetched_models() / "qwen3/tokenizer.json";
  DREAMGYM_NEEDS_FILE(file);
  DREAMGYM_NEEDS_FILE(tokenizer_data());
  expect_reference_ids(read_pretrained_tokenizer(file), "qwen");
}

TEST(PretrainedTokenizer, GivesTheReferenceIdsOfLlama3) {
  const Path file = fetched_models() / "llama3_1/tokenizer.json";
  DREAMGYM_NEEDS_FILE(file);
  DREAMGYM_NEEDS_FILE(tokenizer_data());
  const PretrainedTokenizer tokenizer = read_pretrained_tokenizer(file);
  EXPECT_TRUE(tokenizer.vocabulary().whole_pieces);
  expect_reference_ids(tokenizer, "llama3");
}

TEST(PretrainedTokenizer, GivesTheReferenceIdsOfLlama3FromTiktoken) {
  const Path ranks = fetched_models() / "llama3/tokenizer.model";
  DREAMGYM_NEEDS_FILE(ranks);
  DREAMGYM_NEEDS_FILE(tokenizer_data());
  expect_reference_ids(tiktoken(ranks, tokenizer_data() / "llama3_added_tokens.json"), "llama3");
}

/// All bytes, and the merges "a" "b" and "ab" "c".
Json small_document() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[spell_bytes(std::string(1, static_cast<char>(byte)))] = byte;
  }
  vocab["ab"] = 256;
  vocab["abc"] = 257;
  return {
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"a b", "ab c"}}}},
      {"added_tokens", Json::array()},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}}};
}

Json added_token(TokenId id, const std::string& content) {
  return {{"id", id}, {"content", content}, {"special", true}};
}

PretrainedTokenizer read(const Json& document) {
  return PretrainedTokenizer(vocabulary_from_json(document.dump(), "tokenizer.json"));
}

using Ids = std::vector<TokenId>;

TEST(PretrainedTokenizer, TakesAWholePieceOnlyWhereTheFileSaysSo) {
  Json document = small_document();
  document["model"]["merges"] = {"a b"};
  EXPECT_EQ(read(document).encode("abc"), (Ids{256, 'c'}));
  document["model"]["ignore_merges"] = true;
  EXPECT_EQ(read(document).encode("abc"), (Ids{257}));
}

TEST(PretrainedTokenizer, ReadsMergesAsPairsToo) {
  Json document = small_document();
  document["model"]["merges"] = Json::array({Json::array({"a", "b"}), Json::array({"ab", "c"})});
  EXPECT_EQ(read(document).encode("abcab"), (Ids{257, 256}));
}

TEST(PretrainedTokenizer, GivesBackAnyBytes) {
  const PretrainedTokenizer tokenizer = read(small_document());
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_bytes(rng, 60);
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text) << round;
  }
}

TEST(PretrainedTokenizer, NormalisesOnlyWhatIsUtf8) {
  Json document = small_document();
  document["normalizer"] = {{"type", "NFC"}};
  const PretrainedTokenizer tokenizer = read(document);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("e\xcc\x81\xff"
                                              "e\xcc\x81")),
            "\xc3\xa9\xff\xc3\xa9");
}

TEST(PretrainedTokenizer, FollowsTheStripRulesOfAddedTokens) {
  Json document = small_document();
  Json left = added_token(258, "<l>");
  left["lstrip"] = true;
  Json right = added_token(259, "<r>");
  right["rstrip"] = true;
  Json word = added_token(260, "word");
  word["single_word"] = true;
  document["added_tokens"] = {left, right, word};
  const PretrainedTokenizer tokenizer = read(document);
  EXPECT_EQ(tokenizer.encode_with_markers("a \n<l> b"), (Ids{'a', 258, ' ', 'b'}));
  EXPECT_EQ(tokenizer.encode_with_markers("a <r> \t b"), (Ids{'a', ' ', 259, 'b'}));
  EXPECT_EQ(tokenizer.encode_with_markers("a<r> <l>"), (Ids{'a', 259, 258}));
  EXPECT_EQ(tokenizer.encode_with_markers("word.words"), (Ids{260, '.', 'w', 'o', 'r', 'd', 's'}));
  EXPECT_EQ(tokenizer.decode(Ids{258, 'x'}), "<l>x");
}

TEST(PretrainedTokenizer, PrefersTheLongestAddedToken) {
  Json document = small_document();
  document["added_tokens"] = {added_token(258, "<a>"), added_token(259, "<a><b>")};
  const PretrainedTokenizer tokenizer = read(document);
  EXPECT_EQ(tokenizer.encode_with_markers("<a><b><a>"), (Ids{259, 258}));
  EXPECT_EQ(tokenizer.encode("<a>"), (Ids{'<', 'a', '>'}));
  EXPECT_EQ(tokenizer.marker("<a>"), 258);
  EXPECT_FALSE(tokenizer.marker("a"));
  EXPECT_TRUE(tokenizer.is_special(258));
}

TEST(PretrainedTokenizer, RefusesIdsOfAnotherVocabulary) {
  const PretrainedTokenizer tokenizer = read(small_document());
  EXPECT_THROW((void)tokenizer.decode(Ids{258}), Error);
  EXPECT_THROW((void)tokenizer.decode(Ids{-1}), Error);
}

/// What reading the changed document says, or "" if it is read.
std::string message_of(const std::function<void(Json&)>& change) {
  Json document = small_document();
  change(document);
  try {
    read(document);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TokenizerJson, NamesWhatItDoesNotKnow) {
  const auto says = [](const std::function<void(Json&)>& change, const std::string& piece) {
    const std::string message = message_of(change);
    EXPECT_NE(message.find(piece), std::string::npos) << message;
    EXPECT_NE(message.find("tokenizer.json"), std::string::npos) << message;
  };
  says([](Json& d) { d["pre_tokenizer"]["type"] = "Metaspace"; }, "Metaspace");
  says([](Json& d) { d["pre_tokenizer"]["add_prefix_space"] = true; }, "pre_tokenizer");
  says([](Json& d) { d.erase("pre_tokenizer"); }, "pre_tokenizer");
  says([](Json& d) { d["normalizer"] = {{"type", "NFKC"}}; }, "NFKC");
  says([](Json& d) { d["model"]["type"] = "Unigram"; }, "Unigram");
  says([](Json& d) { d["model"]["byte_fallback"] = true; }, "byte_fallback");
  says([](Json& d) { d["model"]["unk_token"] = "<unk>"; }, "unk_token");
}

TEST(TokenizerJson, NamesWhatIsBroken) {
  const auto fails = [](const std::function<void(Json&)>& change, const std::string& piece) {
    const std::string message = message_of(change);
    EXPECT_NE(message.find(piece), std::string::npos) << message;
  };
  fails([](Json& d) { d.erase("model"); }, "model");
  fails([](Json& d) { d["model"]["vocab"] = 3; }, "vocab");
  fails([](Json& d) { d["model"]["vocab"]["x"] = -1; }, "-1");
  fails([](Json& d) { d["model"]["vocab"]["x"] = 1ULL << 40U; }, "1099511627776");
  fails([](Json& d) { d["model"]["vocab"]["x"] = "7"; }, "\"7\"");
  fails([](Json& d) { d["model"]["vocab"]["xyz"] = 256; }, "256");
  fails([](Json& d) { d["model"]["merges"] = {"a q"}; }, "\"aq\"");
  fails([](Json& d) { d["model"]["merges"] = {"ab"}; }, "merge 0");
  fails([](Json& d) { d["model"]["merges"] = {7}; }, "merge 0");
  fails([](Json& d) { d["added_tokens"] = 1; }, "added_tokens");
  fails([](Json& d) { d["added_tokens"] = {{{"id", 1}}}; }, "content");
  fails([](Json& d) { d["added_tokens"] = {added_token(1 << 30, "x")}; }, "outside");
  fails([](Json& d) { d["added_tokens"] = {added_token(-5, "x")}; }, "outside");
  EXPECT_THROW((void)vocabulary_from_json("{\"model\":", "x"), Error);
}

TEST(Tiktoken, RefusesBrokenLines) {
  const std::string layout = small_document().dump();
  for (const char* ranks : {"YQ==", "YQ== x", "Y 1", "YQ== 99999999", "YQ== 1\nYg== 1"}) {
    EXPECT_THROW((void)vocabulary_from_tiktoken(ranks, layout, "ranks"), Error) << ranks;
  }
  EXPECT_THROW((void)vocabulary_from_tiktoken("YQ== 0", "[", "ranks"), Error);
}

}  // namespace
}  // namespace dreamgym
