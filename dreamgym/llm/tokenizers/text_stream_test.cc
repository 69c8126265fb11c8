#include "dreamgym/llm/tokenizers/text_stream.h"

#include <gtest/gtest.h>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/household_text.h"

namespace dreamgym {
namespace {

TEST(TextStream, HoldsACharacterBackUntilItIsWhole) {
  TextStream stream;
  EXPECT_EQ(stream.push("a\xf0"), "a");
  EXPECT_EQ(stream.push("\x9f\x98"), "");
  EXPECT_EQ(stream.push("\x80!"), "\xf0\x9f\x98\x80!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, ReplacesWhatCanBecomeNoCharacter) {
  const std::string replacement = "\xef\xbf\xbd";
  TextStream stream;
  EXPECT_EQ(stream.push("\x80z"), replacement + "z");
  EXPECT_EQ(stream.push("\xe4\xbd"), "");
  EXPECT_EQ(stream.push("q"), replacement + "q");
  EXPECT_EQ(stream.push("\xed\xa0\x80"), replacement + replacement + replacement);  // a surrogate
  EXPECT_EQ(stream.push("\xf0\x9f"), "");
  EXPECT_EQ(stream.finish(), replacement);
  EXPECT_EQ(stream.push("ok"), "ok");
}

TEST(TextStream, GivesValidTextOfAnyBytesHoweverTheyAreCut) {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    const std::string bytes = random_bytes(rng, 40);
    TextStream at_once;
    std::string whole = at_once.push(bytes);
    whole += at_once.finish();
    TextStream stream;
    std::string text;
    for (const char byte : bytes) {
      const std::string part = stream.push(std::string_view(&byte, 1));
      EXPECT_EQ(find_invalid_utf8(part), std::string::npos) << round;
      text += part;
    }
    text += stream.finish();
    EXPECT_EQ(text, whole) << round;
    if (find_invalid_utf8(bytes) == std::string::npos) {
      EXPECT_EQ(text, bytes) << round;
    }
  }
}

}  // namespace
}  // namespace dreamgym
