#include "dreamgym/llm/tokenizers/pre_tokenizer.h"

#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

using Pieces = std::vector<std::string>;

Pieces cut(PreTokenizer kind, std::string_view text) {
  Pieces pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_piece(kind, text, begin);
    EXPECT_GT(end, begin);
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

/// The cut as the regular expression makes it.
Pieces cut_by_pattern(std::string_view pattern, std::string_view text) {
  int error = 0;
  PCRE2_SIZE where = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                    pattern.size(),
                    PCRE2_UTF | PCRE2_UCP,
                    &error,
                    &where,
                    nullptr),
      pcre2_code_free);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(code.get(), nullptr), pcre2_match_data_free);
  Pieces pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const int found = pcre2_match(code.get(),
                                  reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(),
                                  begin,
                                  0,
                                  match.get(),
                                  nullptr);
    if (found <= 0) {
      ADD_FAILURE() << "no match at " << begin;
      break;
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    EXPECT_EQ(ends[0], begin);
    pieces.emplace_back(text.substr(begin, ends[1] - begin));
    begin = ends[1];
  }
  return pieces;
}

std::string random_text(Rng& rng) {
  static const Pieces kParts = {" ",
                                "  ",
                                "\n",
                                "\r",
                                "\t",
                                "\v",
                                "a",
                                "Zz",
                                "'s",
                                "'S",
                                "'ll",
                                "'",
                                "'Re",
                                "'ve",
                                "1",
                                "234567",
                                ".",
                                "!?",
                                "_",
                                "\xc3\xa9",
                                "\xe4\xbd\xa0",
                                "\xe3\x80\x80",
                                "\xc2\xa0",
                                "\xc2\xb2",
                                "'\xc5\xbf",
                                "\xf0\x9f\x98\x80",
                                "e\xcc\x81",
                                "\xd9\xa3",
                                "\xe2\x80\xa8",
                                "\xe2\x85\xa3",
                                "\xc2\x85",
                                "-"};
  std::string text;
  for (std::uint64_t i = rng.below(12); i > 0; --i) {
    text += rng.choose(kParts);
  }
  return text;
}

TEST(PreTokenizer, CutsAsItsExpressionDoes) {
  const std::vector<std::pair<PreTokenizer, std::string_view>> cuts = {
      {PreTokenizer::kGpt2, kGpt2Pattern},
      {PreTokenizer::kLlama3, kLlama3Pattern},
      {PreTokenizer::kQwen2, kQwen2Pattern}};
  Rng rng(3);
  for (int round = 0; round < 1500; ++round) {
    const std::string text = random_text(rng);
    for (const auto& [kind, pattern] : cuts) {
      ASSERT_EQ(cut(kind, text), cut_by_pattern(pattern, text)) << round << ": " << text;
    }
  }
}

TEST(PreTokenizer, CutsNumbersSinglyForSmolLm2) {
  EXPECT_EQ(cut(PreTokenizer::kSmolLm2, "in 1234 years"),
            (Pieces{"in", " ", "1", "2", "3", "4", " years"}));
  EXPECT_EQ(cut(PreTokenizer::kSmolLm2, "a   7"), (Pieces{"a", "   ", "7"}));
}

TEST(PreTokenizer, TakesBytesThatAreNoUtf8AsSigns) {
  EXPECT_EQ(cut(PreTokenizer::kQwen2, "a\xff\xfe b"), (Pieces{"a", "\xff\xfe", " b"}));
  EXPECT_EQ(cut(PreTokenizer::kGpt2, "\xe4\xbd"), (Pieces{"\xe4\xbd"}));
}

TEST(PreTokenizer, KnowsItsPatterns) {
  EXPECT_EQ(pre_tokenizer_of_pattern(kQwen2Pattern), PreTokenizer::kQwen2);
  EXPECT_FALSE(pre_tokenizer_of_pattern("\\s+"));
}

}  // namespace
}  // namespace dreamgym
