#include "dreamgym/llm/bpe_tokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/bpe_trainer.h"
#include "dreamgym/llm/internal/household_text.h"
#include "dreamgym/llm/markers.h"

namespace dreamgym {
namespace {

const BpeTokenizer& household_tokenizer() {
  static const BpeTokenizer tokenizer =
      train_bpe(household_texts(300), household_names(), {.vocabulary_size = 600});
  return tokenizer;
}

std::vector<std::string> pieces(const BpeTokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> result;
  for (const TokenId id : tokenizer.encode_with_markers(text)) {
    result.push_back(tokenizer.decode(std::vector<TokenId>{id}));
  }
  return result;
}

using Pieces = std::vector<std::string>;

TEST(BpeTokenizer, EncodesNamesAndNumbersAsSingleTokens) {
  const BpeTokenizer tokenizer(base_vocabulary({"mug", "shelf"}, false));
  EXPECT_EQ(pieces(tokenizer, "mug 1"), (Pieces{"mug", " 1"}));
  EXPECT_EQ(pieces(tokenizer, "shelf 99,"), (Pieces{"shelf", " 99", ","}));
  EXPECT_EQ(pieces(tokenizer, "a mug 07"), (Pieces{"a", " ", "mug", " 0", "7"}));
  EXPECT_EQ(pieces(tokenizer, "mug 123"), (Pieces{"mug", " 12", "3"}));
}

TEST(BpeTokenizer, TakesANameOnlyWhereItIsAWholeWord) {
  const BpeTokenizer tokenizer(base_vocabulary({"mug"}, false));
  const auto has_name = [&](std::string_view text) {
    return std::ranges::count(pieces(tokenizer, text), "mug") > 0;
  };
  for (const char* text : {"mug", "(mug)", "a mug.", "mug-tree", "\xe2\x80\x94mug", "\xffmug"}) {
    EXPECT_TRUE(has_name(text)) << text;
  }
  for (const char* text : {"mugs",
                           "smug",
                           "mug1",
                           "1mug",
                           "_mug",
                           "Mug",
                           "\xc3\xa9mug",
                           "mug\xc3\xa9",
                           "mug\xcc\x81",
                           "\xe2\x92\xb6mug"}) {
    EXPECT_FALSE(has_name(text)) << text;
  }
}

TEST(BpeTokenizer, MergesAcrossBlanksAndPunctuationButNotIntoANameOrNumber) {
  const auto& tokenizer = household_tokenizer();
  EXPECT_EQ(pieces(tokenizer, "go to mug 1\nOn the mug 1, you see a shelf 2, and a plate 3"),
            (Pieces{"go to ",
                    "mug",
                    " 1",
                    "\nOn the ",
                    "mug",
                    " 1",
                    ", you see a ",
                    "shelf",
                    " 2",
                    ", and a ",
                    "plate",
                    " 3"}));
}

TEST(BpeTokenizer, GivesMarkersTheLowestIdsInTheirOrder) {
  const auto& tokenizer = household_tokenizer();
  for (std::size_t i = 0; i < markers::kAll.size(); ++i) {
    EXPECT_EQ(tokenizer.marker(markers::kAll[i]), static_cast<TokenId>(i));
  }
  EXPECT_EQ(tokenizer.marker("<|nothing|>"), std::nullopt);
  EXPECT_EQ(tokenizer.marker("mug"), std::nullopt);
}

TEST(BpeTokenizer, TakesMarkersForOrdinaryCharactersUnlessAsked) {
  const auto& tokenizer = household_tokenizer();
  const TokenId action = *tokenizer.marker(markers::kAction);
  const auto plain = tokenizer.encode("<|action|>go");
  EXPECT_EQ(std::ranges::count(plain, action), 0);
  EXPECT_EQ(tokenizer.decode(plain), "<|action|>go");
  EXPECT_EQ(tokenizer.encode_with_markers("<|action|>go").front(), action);
}

TEST(BpeTokenizer, PrefersTheLongestMarker) {
  BpeVocabulary vocabulary = base_vocabulary({}, false);
  for (const char* marker : {"<<", "<<<", "<<<>"}) {
    vocabulary.markers.push_back(static_cast<TokenId>(vocabulary.tokens.size()));
    vocabulary.tokens.emplace_back(marker);
  }
  EXPECT_EQ(pieces(BpeTokenizer(vocabulary), "<<<<<<>"), (Pieces{"<<<", "<<<>"}));
}

TEST(BpeTokenizer, DecodesWhatItEncodedWhateverTheBytes) {
  const auto& tokenizer = household_tokenizer();
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const std::string text = random_bytes(rng, 200);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text)), text) << "seed " << seed;
    ASSERT_EQ(tokenizer.decode(tokenizer.encode_with_markers(text)), text) << "seed " << seed;
  }
  EXPECT_TRUE(tokenizer.encode("").empty());
  const std::string large(1U << 20U, 'x');
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(large)), large);
}

TEST(BpeTokenizer, DecodesRealLogs) {
  const char* given = std::getenv("DREAMGYM_DATA");
  const Path data = given != nullptr ? Path(given) : Path(DREAMGYM_SOURCE_DIR) / "../shared/data";
  const Path logs = data / "alfworld/logs/episodes.jsonl";
  if (!std::filesystem::exists(logs)) {
    GTEST_SKIP() << "no logs at " << logs;
  }
  const auto& tokenizer = household_tokenizer();
  std::size_t num_lines = 0;
  for_each_line(logs, [&](std::size_t number, std::string_view line) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(line)), line) << "line " << number;
    return ++num_lines < 100;
  });
  EXPECT_EQ(num_lines, 100U);
}

TEST(BpeTokenizer, EncodesThePartsBetweenMarkersAsIfTheyStoodAlone) {
  const auto& tokenizer = household_tokenizer();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    std::string text;
    std::vector<TokenId> parts;
    for (int i = 0; i < 5; ++i) {
      const std::string piece = household_text(rng.next()).substr(0, rng.below(40));
      const std::string_view marker = markers::kAll[rng.below(markers::kAll.size())];
      text += piece + std::string(marker);
      const auto encoded = tokenizer.encode(piece);
      parts.insert(parts.end(), encoded.begin(), encoded.end());
      parts.push_back(*tokenizer.marker(marker));
    }
    ASSERT_EQ(tokenizer.encode_with_markers(text), parts) << "seed " << seed;
  }
}

/// Merges by the definition: again and again the earliest merge that applies, leftmost first.
std::vector<TokenId> slow_merge(const BpeTokenizer& tokenizer, std::string_view chunk) {
  std::vector<TokenId> tokens;
  for (const char c : chunk) {
    tokens.push_back(*tokenizer.find(std::string_view(&c, 1)));
  }
  for (const auto& merge : tokenizer.vocabulary().merges) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] == merge.left && tokens[i + 1] == merge.right) {
        tokens[i] = merge.result;
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
  }
  return tokens;
}

TEST(BpeTokenizer, MergesAsTheDefinitionSays) {
  const auto& tokenizer = household_tokenizer();
  const std::vector<std::string> parts = {", you see ",
                                          "On the ",
                                          "the",
                                          "n the ",
                                          " a ",
                                          "Thi",
                                          "nothing.",
                                          "in/on",
                                          "aaaa",
                                          "ou se",
                                          "\n",
                                          "is closed"};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    std::string chunk;
    const std::size_t count = 1 + rng.below(8);
    for (std::size_t i = 0; i < count; ++i) {
      chunk += rng.choose(parts);
    }
    ASSERT_EQ(tokenizer.encode(chunk), slow_merge(tokenizer, chunk)) << chunk;
  }
}

TEST(BpeTokenizer, GivesTheSameTokensFromManyThreads) {
  const BpeTokenizer tokenizer(household_tokenizer().vocabulary());  // with an empty cache
  const auto texts = household_texts(60);
  std::vector<std::vector<std::vector<TokenId>>> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        for (const auto& text : texts) {
          result.push_back(tokenizer.encode(text));
        }
      });
    }
  }
  for (const auto& result : results) {
    EXPECT_EQ(result, results.front());
  }
  EXPECT_EQ(results.front().front(), household_tokenizer().encode(texts.front()));
}

TEST(BpeTokenizer, RefusesToDecodeAnIdItDoesNotHave) {
  const auto& tokenizer = household_tokenizer();
  EXPECT_THROW((void)tokenizer.decode(std::vector<TokenId>{-1}), Error);
  const auto past = static_cast<TokenId>(tokenizer.vocabulary_size());
  EXPECT_THROW((void)tokenizer.decode(std::vector<TokenId>{past}), Error);
}

TEST(BpeTokenizer, RefusesAVocabularyThatContradictsItself) {
  const auto fault_after = [](const auto& change) {
    BpeVocabulary vocabulary = base_vocabulary({"mug"}, true);
    change(vocabulary);
    const auto fault = find_fault(vocabulary);
    EXPECT_EQ(fault.has_value(), [&] {
      try {
        const BpeTokenizer tokenizer(vocabulary);
        return false;
      } catch (const Error&) {
        return true;
      }
    }());
    return fault.value_or("");
  };
  EXPECT_EQ(fault_after([](BpeVocabulary&) {}), "");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.tokens[20] = "zz"; }),
            "there is no token for byte 7, expected all 256");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.tokens.back() = "<|end|>"; }),
            "tokens 12 and 369 are both \"<|end|>\"");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.tokens.back().clear(); }),
            "token 369 has no text");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.merges[3].result = 5; }),
            "merge 3 makes \" 3\", but token 5 is \"<|action|>\"");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.merges[3].left = 5000; }),
            "merge 3 names a token outside [0, 370)");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.merges[3] = v.merges[2]; }),
            "merge 3 repeats an earlier one of tokens 45 and 63");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.names.push_back(0); }),
            "token 0 is a marker or name twice");
  EXPECT_EQ(fault_after([](BpeVocabulary& v) { v.name_pool = {12}; }),
            "token 12 is in the name pool but is no name");
  EXPECT_NE(fault_after([](BpeVocabulary& v) { v.tokens.back() = "a mug"; }), "");
  EXPECT_NE(fault_after([](BpeVocabulary& v) { v.tokens[0] = "dream"; }), "");
}

TEST(BpeTokenizer, HasEveryByteAndEveryNumber) {
  const BpeTokenizer tokenizer(base_vocabulary({}, false));
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(tokenizer.encode(std::string(1, static_cast<char>(byte))).size(), 1U) << byte;
  }
  for (int number = 0; number < 100; ++number) {
    EXPECT_EQ(tokenizer.encode(fmt::format(" {}", number)).size(), 1U) << number;
  }
  EXPECT_THROW(base_vocabulary({"mug", "mug"}, false), Error);
  EXPECT_THROW(base_vocabulary({"m"}, false), Error);
}

}  // namespace
}  // namespace dreamgym
