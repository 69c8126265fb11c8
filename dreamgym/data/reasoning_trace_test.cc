#include "dreamgym/data/reasoning_trace.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

ReasoningTrace trace_of(std::vector<std::pair<std::string, std::string>> fields) {
  return ReasoningTrace{.fields = std::move(fields)};
}

TEST(ReasoningTrace, IsWrittenAsFieldsInOrder) {
  EXPECT_EQ(to_text(trace_of({{"effect", "new"}, {"at", "desk 1"}, {"hold", ""}})),
            "effect: new; at: desk 1; hold:");
}

TEST(ReasoningTrace, IsReadBackAsItWasWritten) {
  const auto trace = trace_of({{"effect", "moved"}, {"want", "mug: hot"}, {"got", "é 漢"}});
  EXPECT_EQ(parse_reasoning_trace(to_text(trace)), trace);
}

TEST(ReasoningTrace, SurvivesEveryValueThatAddAccepts) {
  Rng rng(7);
  const std::string alphabet = "ab ;:\n\r\t\"\\{1é";
  for (int round = 0; round < 300; ++round) {
    ReasoningTrace trace;
    trace.add("effect", "done");
    for (std::uint64_t field = rng.below(4); field > 0; --field) {
      std::string value;
      for (std::uint64_t i = rng.below(12); i > 0; --i) {
        value += alphabet[rng.below(alphabet.size())];
      }
      trace.add(rng.below(2) == 0 ? "in fridge 1" : "hold", value);
    }
    EXPECT_EQ(parse_reasoning_trace(to_text(trace)), trace) << to_text(trace);
  }
}

TEST(ReasoningTrace, FindsTheFirstFieldOfAKey) {
  const auto trace = trace_of({{"effect", "new"}, {"see", "mug 1"}, {"see", "pan 1"}});
  EXPECT_EQ(trace.find("see"), "mug 1");
  EXPECT_EQ(trace.find("hold"), std::nullopt);
}

TEST(ReasoningTrace, IsNothingWhenTheTextIsNotOfTheGrammar) {
  for (const char* text : {"",
                           "effect",
                           "effect:",
                           "at: desk 1; effect: new",
                           "effect: new;",
                           "effect: new;; at: desk 1",
                           "effect: new; : desk 1",
                           "effect: new; At: desk 1",
                           "Effect: new",
                           "effect: new\nat: desk 1"}) {
    EXPECT_EQ(parse_reasoning_trace(text), std::nullopt) << text;
  }
}

TEST(ReasoningTrace, RefusesAKeyThatIsNoLowerCaseWord) {
  ReasoningTrace trace;
  EXPECT_THROW(trace.add("", "x"), LogicError);
  EXPECT_THROW(trace.add("At", "x"), LogicError);
  EXPECT_THROW(trace.add("a:b", "x"), LogicError);
}

TEST(WantedIsReached, HoldsOnlyWhenBothAreStatedAndEqual) {
  EXPECT_TRUE(wanted_is_reached(trace_of({{"effect", "moved"}, {"want", "a"}, {"got", "a"}})));
  EXPECT_FALSE(wanted_is_reached(trace_of({{"effect", "moved"}, {"want", "a"}, {"got", "b"}})));
  EXPECT_FALSE(wanted_is_reached(trace_of({{"effect", "moved"}, {"want", "a"}})));
  EXPECT_FALSE(wanted_is_reached(trace_of({{"effect", "moved"}, {"got", "a"}})));
  EXPECT_FALSE(wanted_is_reached(trace_of({{"effect", "moved"}, {"want", ""}, {"got", ""}})));
}

}  // namespace
}  // namespace dreamgym
