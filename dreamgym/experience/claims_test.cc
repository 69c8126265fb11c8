#include "dreamgym/experience/claims.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

bool borne_out(const char* trace, const char* action, const char* task) {
  return success_is_borne_out(*parse_reasoning_trace(trace), action, task);
}

TEST(Claims, CountsWhatIsHere) {
  const char* task = "find two ladle and put them in drawer";
  const char* action = "move ladle 1 to drawer 1";
  EXPECT_FALSE(borne_out(
      "effect: moved; at: drawer 1; here: saltshaker 2, ladle 1; want: two ladle in drawer; got: two ladle in drawer",
      action, task));
  EXPECT_TRUE(borne_out(
      "effect: moved; at: drawer 1; here: ladle 3, ladle 1; want: two ladle in drawer; got: two ladle in drawer",
      action, task));
  // The same one twice, and a plural.
  EXPECT_FALSE(borne_out("effect: moved; here: ladle 1, ladle 1; want: two ladles; got: two ladles", action, task));
  EXPECT_TRUE(borne_out("effect: moved; here: ladle 1, ladle 2; want: two ladles; got: two ladles", action, task));
  // Nothing is said of what is here: nothing to hold against it.
  EXPECT_TRUE(borne_out("effect: moved; want: two ladle in drawer; got: two ladle in drawer", action, task));
}

TEST(Claims, WantsThingsTheTaskNames) {
  const char* action = "move cup 1 to countertop 1";
  const char* trace =
      "effect: moved; at: countertop 1; here: cup 1; want: clean cup in countertop; got: clean cup in countertop";
  EXPECT_FALSE(borne_out(trace, action, "clean some butterknife and put it in countertop"));
  EXPECT_TRUE(borne_out(trace, action, "clean some cup and put it in countertop"));
  EXPECT_TRUE(borne_out(trace, action, "Put clean cups on a countertop."));
  // "hot" is no thing, so the task may say "heat".
  EXPECT_TRUE(borne_out("effect: moved; want: hot cup in cabinet; got: hot cup in cabinet",
                        "move cup 1 to cabinet 2",
                        "heat some cup and put it in cabinet"));
}

TEST(Claims, ASuccessStatesWhatWasWantedAndGot) {
  EXPECT_FALSE(borne_out("effect: moved; want: cup in cabinet; got: cup in drawer", "put", "put a cup in cabinet"));
  EXPECT_FALSE(borne_out("effect: moved", "put", "put a cup in cabinet"));
  EXPECT_TRUE(borne_out("effect: done; want: ticket closed; got: ticket closed", "close ticket 7", "close the ticket"));
}

TEST(Claims, AFirstLookFindsWhatTheTaskNamesAndShowsIt) {
  const auto trace = *parse_reasoning_trace("effect: new; at: desk 1; find: mug");
  EXPECT_TRUE(finds_are_asked_for(trace, "put two mugs in cabinet"));
  EXPECT_FALSE(finds_are_asked_for(trace, "put a cup in cabinet"));
  EXPECT_TRUE(finds_are_shown(trace, "On the desk 1, you see a mug 2."));
  EXPECT_FALSE(finds_are_shown(trace, "On the desk 1, you see a mugshot 1."));
  for (const char* nothing : {"effect: new; find: nothing", "effect: new"}) {
    EXPECT_TRUE(finds_are_asked_for(*parse_reasoning_trace(nothing), "put a cup in cabinet"));
    EXPECT_TRUE(finds_are_shown(*parse_reasoning_trace(nothing), "You see a cup 1."));
  }
}

}  // namespace
}  // namespace dreamgym
