#include "dreamgym/experience/recollection.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

PastStep step(const char* action, const char* trace, const char* observation) {
  return {action, trace, observation};
}

std::vector<std::string> shown(const std::vector<PastStep>& past,
                               const char* action,
                               std::size_t most = 9) {
  std::vector<std::string> texts;
  for (const Demonstration& demonstration : recollect(past, action, most)) {
    texts.push_back(demonstration.action + " -> " + demonstration.observation);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Recollect, GoesBackToTheLastStepThatStatedWhatIsThere) {
  const std::vector<PastStep> past = {
      step("go to desk 1", "effect: new; at: desk 1; hold: nothing", "A mug 1 and a pen 1."),
      step("go to shelf 2", "effect: closed; at: shelf 2; hold: nothing", "It is closed."),
      step("take mug 1 from desk 1",
           "effect: moved; at: desk 1; hold: mug 1; here: pen 1",
           "You pick it up."),
      step("close desk 1", "effect: done; at: desk 1; hold: mug 1", "You close it."),
      step("look", "effect: done; at: desk 1; hold: mug 1", "You see a room.")};
  EXPECT_EQ(shown(past, "go to desk 1"),
            (Texts{"take mug 1 from desk 1 -> pen 1", "close desk 1 -> You close it."}));
  EXPECT_EQ(shown(past, "go to desk 1", 1), (Texts{"close desk 1 -> You close it."}));
  EXPECT_EQ(shown(past, "open shelf 2"), (Texts{"go to shelf 2 -> It is closed."}));
  EXPECT_EQ(shown(past, "look"), (Texts{"look -> You see a room."}));
  EXPECT_TRUE(shown(past, "go to desk 11").empty());
  EXPECT_TRUE(shown(past, "go to desk 1", 0).empty());
}

TEST(Recollect, ListsTheRestWhereTheActionNamesAThing) {
  std::vector<PastStep> past = {
      step("go to desk 1", "effect: new; at: desk 1; hold: nothing", "On the desk 1, a mug 1, a pen 1.")};
  EXPECT_EQ(shown(past, "take mug 1 from desk 1"),
            (Texts{"go to desk 1 -> On the desk 1, a mug 1, a pen 1. rest: pen 1"}));
  past.push_back(step("take mug 1 from desk 1",
                      "effect: moved; at: desk 1; hold: mug 1; here: pen 1",
                      "You pick it up."));
  EXPECT_EQ(shown(past, "put mug 1 on desk 1"),
            (Texts{"take mug 1 from desk 1 -> pen 1 rest: pen 1"}));
  EXPECT_EQ(shown(past, "take pen 1 from desk 1"),
            (Texts{"take mug 1 from desk 1 -> pen 1 rest: nothing"}));
}

TEST(Recollect, FindsTheEntryOfAListThatNoStepHasVisited) {
  const std::vector<PastStep> past = {
      step("search pen", "effect: new; at: page 1", "page 1: item 1 red pen $3, item 2 ink, blue $9"),
      step("open item 2", "effect: new; at: item 2", "item 2 ink, blue $9; size: 4 ounce")};
  EXPECT_EQ(shown(past, "open item 1"), (Texts{"search pen -> item 1 red pen $3"}));
  EXPECT_EQ(shown({past.data(), past.data() + 1}, "open item 2"),
            (Texts{"search pen -> item 2 ink, blue $9"}));
  EXPECT_TRUE(shown(past, "open item 3").empty());
}

TEST(RecollectPlace, ShowsWhereTheLastStepEnded) {
  std::vector<PastStep> past = {
      step("search pen", "effect: new; at: page 1", "page 1: item 1 red pen $3"),
      step("open item 1", "effect: new; at: item 1", "item 1 red pen $3; size: small, large"),
      step("choose small", "effect: moved; at: item 1; hold: small", "chosen: small")};
  EXPECT_EQ(recollect_place(past)->observation, "item 1 red pen $3; size: small, large");
  past.push_back(step("back", "effect: again; at: page 1", "back at page 1"));
  EXPECT_EQ(recollect_place(past)->observation, "page 1: item 1 red pen $3");
  past.push_back(step("new search", "effect: again; at: search page", "search page"));
  EXPECT_FALSE(recollect_place(past).has_value());
  EXPECT_FALSE(recollect_place({}).has_value());
}

TEST(Recollect, KnowsPlacesWithoutANumberByTheTrace) {
  const std::vector<PastStep> past = {
      step("walk to the vilk", "effect: new; at: vilk; hold: nothing", "A red bon."),
      step("grab the red bon", "effect: moved; at: vilk; hold: red bon; here: nothing", "Done.")};
  EXPECT_EQ(shown(past, "inspect the vilk"), (Texts{"grab the red bon -> nothing"}));
  EXPECT_TRUE(shown(past, "inspect the vilkan").empty());
}

TEST(Recollect, StopsAtTheSameActionWhereNothingIsStated) {
  const std::vector<PastStep> past = {step("look", "", "You see a room."),
                                      step("look", "", "You see a desk.")};
  EXPECT_EQ(shown(past, "look"), (Texts{"look -> You see a desk."}));
}

}  // namespace
}  // namespace dreamgym
