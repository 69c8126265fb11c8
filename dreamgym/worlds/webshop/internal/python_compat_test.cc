// Expected values printed by CPython 3.11.
#include <gtest/gtest.h>

#include <numeric>

#include "dreamgym/worlds/webshop/internal/python_random.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

TEST(PythonRandom, ShufflesAndDrawsAsCPythonDoes) {
  PythonRandom random(233);
  std::vector<int> items(20);
  std::iota(items.begin(), items.end(), 0);
  random.shuffle(items);
  EXPECT_EQ(items, (std::vector<int>{17, 18, 9,  2,  8, 19, 11, 10, 12, 0,
                                     3,  4,  14, 13, 1, 6,  15, 7,  16, 5}));
  EXPECT_EQ(random.random(), 0.3216123150170075);
  EXPECT_EQ(random.sample(1000, 3), (std::vector<std::size_t>{89, 840, 941}));
  const auto fifty = random.sample(1000, 50);
  ASSERT_EQ(fifty.size(), 50U);
  EXPECT_EQ(fifty[0], 299U);
  EXPECT_EQ(fifty[4], 153U);
  EXPECT_EQ(random.uniform(2, 5), 2.2432723246281765);
  EXPECT_EQ(random.below(1000000000000), 65974198593U);
}

TEST(PythonRandom, TakesSeedsOfTwoWords) {
  PythonRandom random((std::uint64_t{1} << 40U) + 5);
  EXPECT_EQ(random.random(), 0.5043802970418443);
  EXPECT_EQ(random.below(7), 2U);
}

TEST(PythonText, PrintsFloatsAsReprDoes) {
  EXPECT_EQ(python_repr(877.8), "877.8");
  EXPECT_EQ(python_repr(34.0), "34.0");
  EXPECT_EQ(python_repr(0.1111111111111111), "0.1111111111111111");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(0.00001), "1e-05");
  EXPECT_EQ(python_repr(0.0), "0.0");
}

TEST(PythonText, QuotesAsReprDoes) {
  EXPECT_EQ(python_repr(std::string_view("plain")), "'plain'");
  EXPECT_EQ(python_repr(std::string_view("men's")), "\"men's\"");
  EXPECT_EQ(python_repr(std::string_view("5'6\"")), "'5\\'6\"'");
  EXPECT_EQ(python_repr(std::string_view("wine\u00a0red é \u200b")), "'wine\\xa0red é \\u200b'");
  EXPECT_EQ(python_repr(TextDict{{"a", "b"}, {"c", "d"}}), "{'a': 'b', 'c': 'd'}");
}

TEST(PythonText, QuotesAsJsonDumpsDoes) {
  EXPECT_EQ(python_json(std::string_view("28\" é \n😀")), "\"28\\\" \\u00e9 \\n\\ud83d\\ude00\"");
  EXPECT_EQ(python_json(TextDict{{"size", "x"}}), "{\"size\": \"x\"}");
  EXPECT_EQ(python_json(TextDict{}), "{}");
}

TEST(PythonText, LowersAndStripsUnicode) {
  EXPECT_EQ(python_lower("ÀB İ ΟΔΟΣ"), "àb i̇ οδος");
  EXPECT_EQ(python_strip("\u00a0 \x1f a b\u3000\n"), "a b");
  EXPECT_EQ(python_strip(" \u2003"), "");
  EXPECT_EQ(python_strip("..a.b..", '.'), "a.b");
  EXPECT_EQ(python_lower("\xff"
                         "A"),
            "\xff"
            "a");  // no text at all: left alone
}

TEST(PythonText, KnowsWordCharacters) {
  for (const char32_t c : {U'a', U'9', U'_', U'é', U'²', U'锅', U'½'}) {
    EXPECT_TRUE(is_python_word(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'-', U' ', U'★', U'\u0301', U'™'}) {
    EXPECT_FALSE(is_python_word(c)) << static_cast<unsigned>(c);
  }
}

}  // namespace
}  // namespace dreamgym::webshop
