#include "dreamgym/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {
namespace {

using Pieces = std::vector<std::string>;

TEST(Trim, RemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("ab"), "ab");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b,", ','), (Pieces{"a", "", "b", ""}));
  EXPECT_EQ(split("a", ','), Pieces{"a"});
  EXPECT_EQ(split("", ','), Pieces{""});
}

TEST(Split, IsUndoneByJoin) {
  for (const std::string_view text : {"", ",", "a,b", ",a,,b,,"}) {
    EXPECT_EQ(join(split(text, ','), ","), text);
  }
}

TEST(Words, SkipsRunsOfBlanks) {
  EXPECT_EQ(words("  go to\tdesk 1\n"), (Pieces{"go", "to", "desk", "1"}));
  EXPECT_EQ(words(" \n"), Pieces{});
  EXPECT_EQ(words(""), Pieces{});
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(ToLower, ChangesAsciiLettersOnly) {
  EXPECT_EQ(to_lower("AbZ 19_\xc3\x84"), "abz 19_\xc3\x84");
}

TEST(ReplaceAll, ReplacesEveryOccurrenceOnce) {
  EXPECT_EQ(replace_all("aXbXX", "X", "--"), "a--b----");
  EXPECT_EQ(replace_all("aaa", "aa", "a"), "aa");  // what it put in is not searched again
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
  EXPECT_EQ(replace_all("abc", "", "y"), "abc");
}

TEST(Contains, FindsPieces) {
  EXPECT_TRUE(contains("desk 1", "k 1"));
  EXPECT_TRUE(contains("desk", ""));
  EXPECT_FALSE(contains("desk", "desks"));
}

TEST(ConsumePrefix, RemovesThePrefixOnlyIfThere) {
  std::string_view text = "go to desk";
  EXPECT_TRUE(consume_prefix(text, "go to "));
  EXPECT_EQ(text, "desk");
  EXPECT_FALSE(consume_prefix(text, "go to "));
  EXPECT_EQ(text, "desk");
}

TEST(FindInvalidUtf8, AcceptsWholeCharactersOfEachLength) {
  const std::string_view text =
      "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
      "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\x7f";
  EXPECT_EQ(find_invalid_utf8(text), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

TEST(FindInvalidUtf8, NamesTheFirstByteOfABrokenCharacter) {
  using std::string_view_literals::operator""sv;
  for (const std::string_view broken : {
           "\x80"sv,              // continuation without a lead
           "\xc0\x80"sv,          // overlong
           "\xc1\xbf"sv,          // overlong
           "\xe0\x9f\xbf"sv,      // overlong
           "\xed\xa0\x80"sv,      // surrogate
           "\xf0\x8f\xbf\xbf"sv,  // overlong
           "\xf4\x90\x80\x80"sv,  // above U+10FFFF
           "\xf5\x80\x80\x80"sv,  // no such lead
           "\xff"sv,              // no such lead
           "\xc3"sv,              // cut short
           "\xe2\x82"sv,          // cut short
           "\xe2\x82z"sv,         // interrupted
           "\xf0\x9f\x98z"sv,     // interrupted
       }) {
    EXPECT_EQ(find_invalid_utf8("ok\xc3\xa4" + std::string(broken)), 4U)
        << testing::PrintToString(broken);
  }
}

TEST(Shorten, LeavesTextThatFits) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("", 0), "");
}

TEST(Shorten, MarksWhereItCut) {
  EXPECT_EQ(shorten("abcd", 3), "abc...");
  EXPECT_EQ(shorten("abcd", 0), "...");
}

TEST(Shorten, NeverCutsThroughACharacter) {
  const std::string text = "a\xe2\x82\xac\xf0\x9f\x98\x80z";  // 1 + 3 + 4 + 1 bytes
  for (std::size_t max_bytes = 0; max_bytes <= text.size(); ++max_bytes) {
    EXPECT_EQ(find_invalid_utf8(shorten(text, max_bytes)), std::string_view::npos) << max_bytes;
  }
  EXPECT_EQ(shorten(text, 3), "a...");
  EXPECT_EQ(shorten(text, 4), "a\xe2\x82\xac...");
}

TEST(EditDistance, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("ab", "ba"), 2U);
}

TEST(Nearest, FindsTheLikelyMeantName) {
  EXPECT_EQ(nearest("grup_size", {"clip_epsilon", "group_size", "seed"}), "group_size");
}

TEST(Nearest, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("ac", {"ab", "ad"}), "ab");
}

TEST(Nearest, IsEmptyWithoutCandidates) {
  EXPECT_EQ(nearest("a", {}), "");
}

// Hashes name things on disk.
TEST(HashText, NeverChanges) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8ULL);  // published FNV-1a test vectors
}

TEST(ToHex, GivesSixteenDigits) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0x0123456789abcdefULL), "0123456789abcdef");
  EXPECT_EQ(to_hex(UINT64_MAX), "ffffffffffffffff");
}

}  // namespace
}  // namespace dreamgym
