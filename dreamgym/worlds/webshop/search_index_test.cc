#include "dreamgym/worlds/webshop/search_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/analyzer.h"
#include "dreamgym/worlds/webshop/internal/porter_stemmer.h"
#include "dreamgym/worlds/webshop/internal/word_breaker.h"

namespace dreamgym::webshop {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for_each_word(text, [&](std::string_view word) { out.emplace_back(word); });
  return out;
}

using Words = std::vector<std::string>;

TEST(WordBreaker, KeepsWhatUnicodeKeepsTogether) {
  EXPECT_EQ(words_of("don't 3.5 2,100 description:solid foo_bar x-large"),
            (Words{"don't", "3.5", "2,100", "description:solid", "foo_bar", "x", "large"}));
  EXPECT_EQ(words_of("a. .b 'c' 1, e.l.f. 12x3"), (Words{"a", "b", "c", "1", "e.l.f", "12x3"}));
  EXPECT_EQ(words_of("___ _a_ -- ,"), (Words{"_a_"}));
}

TEST(WordBreaker, BreaksOtherScriptsAsLuceneDoes) {
  EXPECT_EQ(words_of("小米 ひら カタカナ 한국어"),
            (Words{"小", "米", "ひ", "ら", "カタカナ", "한국어"}));
  EXPECT_EQ(words_of("ภาษาไทย ok"), (Words{"ภาษาไทย", "ok"}));
  EXPECT_EQ(words_of("café e\u0301t 😀😀 👩\u200d🚀 🇩🇪🇫🇷"),
            (Words{"café", "e\u0301t", "😀", "😀", "👩\u200d🚀", "🇩🇪", "🇫🇷"}));
}

TEST(WordBreaker, CutsEndlessWordsAndBadBytes) {
  const Words pieces = words_of(std::string(600, 'x'));
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].size(), 255U);
  EXPECT_EQ(pieces[2].size(), 90U);
  EXPECT_EQ(words_of("a\xff"
                     "b \xc3"),
            (Words{"a", "b"}));
}

TEST(PorterStemmer, StemsAsLucenesDoes) {
  const std::map<std::string, std::string> stems = {{"caresses", "caress"},
                                                    {"ponies", "poni"},
                                                    {"cats", "cat"},
                                                    {"feed", "feed"},
                                                    {"agreed", "agre"},
                                                    {"plastered", "plaster"},
                                                    {"motoring", "motor"},
                                                    {"sing", "sing"},
                                                    {"conflated", "conflat"},
                                                    {"hopping", "hop"},
                                                    {"falling", "fall"},
                                                    {"filing", "file"},
                                                    {"happy", "happi"},
                                                    {"sky", "sky"},
                                                    {"relational", "relat"},
                                                    {"conditional", "condit"},
                                                    {"digitizer", "digit"},
                                                    {"vietnamization", "vietnam"},
                                                    {"hopefulness", "hope"},
                                                    {"formality", "formal"},
                                                    {"electricity", "electr"},
                                                    {"goodness", "good"},
                                                    {"allowance", "allow"},
                                                    {"adoption", "adopt"},
                                                    {"probate", "probat"},
                                                    {"rate", "rate"},
                                                    {"controll", "control"},
                                                    {"roll", "roll"},
                                                    {"archaeology", "archaeolog"},
                                                    {"humbly", "humbl"},
                                                    {"is", "is"},
                                                    {"y", "y"}};
  for (const auto& [word, stem] : stems) {
    std::string text = word;
    porter_stem(text);
    EXPECT_EQ(text, stem);
  }
}

TEST(Analyzer, DropsPossessivesAndStopWordsAndStems) {
  EXPECT_EQ(analyze("The Women's running SHOES, with a rubber sole"),
            (Words{"women", "run", "shoe", "rubber", "sole"}));
  EXPECT_EQ(analyze("women\u2019s CAFÉ"), (Words{"women", "café"}));
  EXPECT_EQ(analyze("the of and"), Words{});
}

TEST(LengthByte, KeepsFourSignificantBits) {
  for (std::uint32_t length = 0; length <= 40; ++length) {
    EXPECT_EQ(byte_to_length(length_to_byte(length)), length);
  }
  EXPECT_EQ(byte_to_length(length_to_byte(107)), 104U);
  EXPECT_EQ(byte_to_length(length_to_byte(1000)), 984U);
  EXPECT_EQ(length_to_byte(2147483647), 255U);
}

struct Collection {
  SearchIndex index = SearchIndexBuilder().build();
  std::vector<std::map<std::string, int>> counts;  ///< of terms, by document
  std::vector<std::uint32_t> lengths;
};

/// Documents of words with a skewed distribution.
Collection make_collection(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  SearchIndexBuilder builder;
  Collection out;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    const std::size_t length = 1 + rng.below(60);
    for (std::size_t j = 0; j < length; ++j) {
      text += fmt::format("w{} ", static_cast<int>(300 * std::pow(rng.uniform(), 3)));
    }
    builder.add(fmt::format("{:05}", (i * 7919) % 99991), text);
    auto& count_of = out.counts.emplace_back();
    for (const std::string& term : analyze(text)) {
      ++count_of[term];
    }
    out.lengths.push_back(static_cast<std::uint32_t>(analyze(text).size()));
  }
  out.index = builder.build();
  return out;
}

/// The definition, without an index.
std::vector<float> score_all(const Collection& from, std::string_view query) {
  const auto total = static_cast<double>(from.counts.size());
  const float average = static_cast<float>(static_cast<double>(from.index.num_tokens()) / total);
  std::map<std::string, int> repeats;
  for (const std::string& term : analyze(query)) {
    ++repeats[term];
  }
  std::vector<double> sums(from.counts.size(), 0);
  for (const auto& [term, times] : repeats) {
    const auto df = static_cast<double>(std::ranges::count_if(
        from.counts, [&](const auto& count) { return count.contains(term); }));
    const float weight = static_cast<float>(times) *
                         static_cast<float>(std::log(1 + (total - df + 0.5) / (df + 0.5)));
    for (std::size_t i = 0; i < from.counts.size(); ++i) {
      if (const auto found = from.counts[i].find(term); found != from.counts[i].end()) {
        const auto length = static_cast<float>(byte_to_length(length_to_byte(from.lengths[i])));
        const float inverse = 1.0F / (0.9F * ((1.0F - 0.4F) + 0.4F * length / average));
        sums[i] += static_cast<double>(
            weight - weight / (1.0F + static_cast<float>(found->second) * inverse));
      }
    }
  }
  return {sums.begin(), sums.end()};
}

TEST(SearchIndex, FindsTheSameAsScoringEveryDocument) {
  const Collection collection = make_collection(9000, 3);
  Rng rng(4);
  for (int round = 0; round < 12; ++round) {
    std::string query;
    const std::size_t length = 1 + rng.below(7);
    for (std::size_t j = 0; j < length; ++j) {
      query += fmt::format("w{} ", static_cast<int>(300 * std::pow(rng.uniform(), 2)));
    }
    const std::vector<float> scores = score_all(collection, query);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] > 0) {
        order.push_back(i);
      }
    }
    const auto key = [&](std::size_t i) {
      return std::pair(-scores[i], fmt::format("{:05}", (i * 7919) % 99991));
    };
    std::ranges::sort(order, {}, key);
    order.resize(std::min<std::size_t>(order.size(), 50));
    const auto hits = collection.index.search(query, 50);
    ASSERT_EQ(hits.size(), order.size()) << query;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      EXPECT_EQ(hits[i].document, order[i]) << query << " at " << i;
      EXPECT_EQ(hits[i].score, scores[order[i]]) << query << " at " << i;
    }
  }
}

TEST(SearchIndex, TakesAnyQuery) {
  const Collection collection = make_collection(50, 1);
  EXPECT_TRUE(collection.index.search("", 50).empty());
  EXPECT_TRUE(collection.index.search("nothing known here", 50).empty());
  EXPECT_TRUE(collection.index.search("w0", 0).empty());
  EXPECT_EQ(collection.index.search(std::string(1 << 20, 'w'), 50).size(), 0U);
  std::string planes;
  for (char32_t plane = 0; plane <= 16; ++plane) {
    for (const char32_t c : {plane * 0x10000 + 0x41, plane * 0x10000 + 0xfffe}) {
      planes += {static_cast<char>(0xf0 | (c >> 18)),
                 static_cast<char>(0x80 | ((c >> 12) & 0x3f)),
                 static_cast<char>(0x80 | ((c >> 6) & 0x3f)),
                 static_cast<char>(0x80 | (c & 0x3f))};
    }
  }
  EXPECT_GE(collection.index.search(planes + " w1", 50).size(), 1U);
  EXPECT_TRUE(SearchIndexBuilder().build().search("w0", 50).empty());
}

}  // namespace
}  // namespace dreamgym::webshop
