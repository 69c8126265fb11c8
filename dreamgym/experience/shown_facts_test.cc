#include "dreamgym/experience/shown_facts.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "dreamgym/worlds/catalog.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

ReasoningTrace trace_of(const char* text) { return *parse_reasoning_trace(text); }

class ShownFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    facts_.observe(trace_of("effect: new; at: desk 1; hold: nothing"),
                   "go to desk 1",
                   "On the desk 1, you see a mug 1, a pen 2, and a book 1.");
    facts_.observe(trace_of("effect: moved; at: desk 1; hold: mug 1; here: pen 2, book 1"),
                   "take mug 1 from desk 1",
                   "You pick up the mug 1 from the desk 1.");
  }

  [[nodiscard]] bool can_show(const char* observation) const {
    return !facts_.contradicts(
        trace_of("effect: new; at: shelf 1; hold: mug 1"), "go to shelf 1", observation);
  }
  [[nodiscard]] bool can_show_again(const char* observation) const {
    return !facts_.contradicts(
        trace_of("effect: again; at: desk 1; hold: mug 1"), "go to desk 1", observation);
  }
  [[nodiscard]] bool can_be(const char* trace, const char* action) const {
    return !facts_.contradicts(trace_of(trace), action);
  }

  ShownFacts facts_;
};

TEST_F(ShownFactsTest, AcceptWhatNobodyHasSeen) {
  EXPECT_TRUE(can_show("On the shelf 1, you see a pen 1, and a book 2."));
  EXPECT_TRUE(can_show("On the shelf 1, you see nothing."));
}

TEST_F(ShownFactsTest, RefuseThingsInTwoPlaces) {
  EXPECT_FALSE(can_show("On the shelf 1, you see a pen 1, and a book 1."));
  EXPECT_FALSE(can_show("On the shelf 1, you see a mug 1."));  // it is held
  EXPECT_FALSE(can_show("On the shelf 1, you see a cup 1, and a cup 1."));
}

TEST_F(ShownFactsTest, WantContentsShownAgainToBeWhatIsThere) {
  EXPECT_TRUE(can_show_again("On the desk 1, you see a book 1, and a pen 2."));
  EXPECT_FALSE(can_show_again("On the desk 1, you see a mug 1, a book 1, and a pen 2."));
  EXPECT_FALSE(can_show_again("On the desk 1, you see a book 1."));
  EXPECT_FALSE(can_show_again("On the desk 1, you see a book 1, a pen 2, and a pen 2."));
}

TEST_F(ShownFactsTest, WantChangesToConcernWhatTheActionNames) {
  const char* put = "move mug 1 to desk 1";
  EXPECT_TRUE(can_be("effect: moved; at: desk 1; hold: nothing; here: pen 2, book 1, mug 1", put));
  EXPECT_FALSE(can_be("effect: moved; at: desk 1; hold: nothing; here: pen 2, mug 1", put));
  EXPECT_FALSE(can_be("effect: moved; at: desk 1; hold: nothing; here: pen 2, book 1, cup 1", put));
  EXPECT_FALSE(
      can_be("effect: moved; at: desk 1; hold: nothing; here: pen 2, book 1, mug 1, mug 1", put));
  EXPECT_TRUE(can_be("effect: new; at: shelf 1; hold: mug 1", "go to shelf 1"));
  EXPECT_FALSE(can_be("effect: new; at: shelf 1; hold: mug 2", "go to shelf 1"));
  EXPECT_TRUE(can_be("effect: done; at: sinkbasin 1; hold: clean mug 1", "clean mug 1"));
}

TEST_F(ShownFactsTest, KnowNothingOfWhatWasChangedWithoutSayingHow) {
  facts_.observe(trace_of("effect: moved; at: desk 1; hold: mug 1"), "sort desk 1", "Done.");
  EXPECT_TRUE(can_show_again("On the desk 1, you see a fork 1."));
}

TEST_F(ShownFactsTest, FollowWhatIsPutDown) {
  facts_.observe(trace_of("effect: moved; at: bed 1; hold: nothing; here: mug 1"),
                 "move mug 1 to bed 1",
                 "You move the mug 1 to the bed 1.");
  EXPECT_FALSE(can_show("On the shelf 1, you see a mug 1."));
  facts_.observe(trace_of("effect: moved; at: bed 1; hold: mug 1; here: nothing"),
                 "take mug 1 from bed 1",
                 "You pick up the mug 1 from the bed 1.");
  facts_.observe(trace_of("effect: done; at: bed 1; hold: nothing"), "drop it", "It is gone.");
  EXPECT_TRUE(can_show("On the shelf 1, you see a mug 1."));
}

TEST_F(ShownFactsTest, SayWhatCouldBeThereInstead) {
  const auto first = facts_.fault_in(trace_of("effect: new; at: shelf 1; hold: mug 1"),
                                     "go to shelf 1",
                                     "On the shelf 1, you see a cup 1, and a mug 1.");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->kind, NamingFault::Kind::kOther);
  EXPECT_EQ(first->begin, 39U);
  EXPECT_EQ(first->listed_end, 31U);
  EXPECT_EQ(first->instead, (std::vector<std::string>{"mug 2"})) << "mug 1 is held";
  const auto second = [&](const char* text) {
    return *facts_.fault_in(trace_of("effect: again; at: desk 1; hold: mug 1"), "go to desk 1", text);
  };
  EXPECT_EQ(second("On the desk 1, you see a cup 1.").instead, (std::vector<std::string>{"pen 2", "book 1"}));
  EXPECT_EQ(second("On the desk 1, you see a pen 2.").kind, NamingFault::Kind::kTooFew);
  EXPECT_EQ(second("On the desk 1, you see a pen 2.").instead, (std::vector<std::string>{"book 1"}));
  EXPECT_EQ(second("On the desk 1, you see a pen 2, a book 1, and a cup 1.").kind, NamingFault::Kind::kTooMany);
}

TEST_F(ShownFactsTest, WantAChangeToNameTheThingsOfItsAction) {
  const auto trace = trace_of("effect: done; at: sinkbasin 1; hold: clean mug 1");
  const char* clean = "clean mug 1 with sinkbasin 1";
  EXPECT_FALSE(facts_.contradicts(trace, clean, "You clean the mug 1 using the sinkbasin 1."));
  EXPECT_TRUE(facts_.contradicts(trace, clean, "You clean the mug 1 using the drawer 1."));
  EXPECT_EQ(facts_.fault_in(trace, clean, "You clean the mug 1 using the drawer 1.")->instead,
            (std::vector<std::string>{"sinkbasin 1"}));
  EXPECT_FALSE(facts_.contradicts(trace, clean, "You clean the mug 1, the sinkbasin 1 and the cloth 3."))
      << "who says more is not judged";
}

TEST_F(ShownFactsTest, WantAPlaceSeenAgainToHaveBeenSeen) {
  EXPECT_FALSE(can_be("effect: again; at: shelf 9; hold: mug 1", "go to shelf 9"));
  EXPECT_TRUE(can_be("effect: closed; at: shelf 9; hold: mug 1", "go to shelf 9"));
  EXPECT_TRUE(can_be("effect: again; at: desk 1; hold: mug 1", "go to desk 1"));
  EXPECT_TRUE(can_be("effect: again; at: shelf 9; hold: mug 1", "look")) << "the action names no place";
}

TEST_F(ShownFactsTest, WantTheSameWordsWhereNothingHasHappened) {
  const auto closed = trace_of("effect: closed; at: safe 1; hold: mug 1");
  const char* go = "go to safe 1";
  EXPECT_FALSE(facts_.known_text(closed, go).has_value());
  facts_.observe(closed, go, "The safe 1 is closed.");
  facts_.observe(trace_of("effect: again; at: desk 1; hold: mug 1"), "go to desk 1", "On it: a pen 2, a book 1.");
  EXPECT_EQ(facts_.known_text(closed, go), "The safe 1 is closed.");
  EXPECT_TRUE(facts_.contradicts(closed, go, "The safe 1 is open. In it, you see nothing."));
  EXPECT_FALSE(facts_.contradicts(closed, go, "The safe 1 is closed."));
  EXPECT_FALSE(facts_.known_text(trace_of("effect: again; at: safe 1; hold: mug 1"), go).has_value());
  facts_.observe(trace_of("effect: new; at: safe 1; hold: mug 1"), "open safe 1", "In it, you see nothing.");
  EXPECT_FALSE(facts_.known_text(closed, go).has_value()) << "it has been opened";
}

TEST_F(ShownFactsTest, TakeAThingAwayFromWhereverItWas) {
  facts_.observe(trace_of("effect: moved; at: bed 1; hold: nothing; here: mug 1"), "move mug 1 to bed 1", "Done.");
  facts_.observe(trace_of("effect: moved; at: bed 2; hold: pen 2; here: nothing"), "take pen 2 from bed 2", "Done.");
  EXPECT_TRUE(can_show_again("On the desk 1, you see a book 1.")) << "pen 2 is held, whatever bed it came from";
}

TEST_F(ShownFactsTest, KnowWhatIsThereAfterAChange) {
  const auto put = trace_of("effect: moved; at: desk 1; hold: nothing; here: pen 2, pen 2");
  EXPECT_EQ(facts_.contents_after(put, "move mug 1 to desk 1"), (std::vector<std::string>{"pen 2", "book 1", "mug 1"}));
  EXPECT_TRUE(facts_.contradicts(put, "move mug 1 to desk 1"));
  const auto take = trace_of("effect: moved; at: desk 1; hold: mug 1, pen 2; here: pen 2, book 1");
  EXPECT_EQ(facts_.contents_after(take, "take pen 2 from desk 1"), (std::vector<std::string>{"book 1"}));
  EXPECT_TRUE(facts_.contradicts(take, "take pen 2 from desk 1")) << "pen 2 is in the hand";
  EXPECT_FALSE(facts_.contents_after(trace_of("effect: moved; at: bed 1; hold: nothing"), "move mug 1 to bed 1"));
}

TEST_F(ShownFactsTest, DoNotLetWhoMovesAThingGetElsewhereByIt) {
  const auto elsewhere = trace_of("effect: moved; at: bed 1; hold: mug 1, pen 2; here: nothing");
  EXPECT_EQ(facts_.left_without_leave(elsewhere, "take pen 2 from desk 1"), "desk 1");
  EXPECT_TRUE(facts_.contradicts(elsewhere, "take pen 2 from desk 1"));
  EXPECT_FALSE(facts_.left_without_leave(elsewhere, "move pen 2 to bed 1"));
}

// What an episode of a real world shows never contradicts itself by these rules.
void expect_nothing_wrong(const char* name, std::map<std::string, std::string> options) {
  const auto world = make_world(name);
  for (const PolicyKind policy : {PolicyKind::kNoisy, PolicyKind::kRandom}) {
    CollectOptions collected;
    collected.tasks.count = 12;
    collected.tasks.extra = options;
    collected.policy = policy;
    collected.num_episodes = 12;
    for (const Trajectory& episode : collect(*world, collected)) {
      ShownFacts facts;
      for (const Transition& step : episode.steps) {
        const auto trace = parse_reasoning_trace(step.reasoning_trace);
        ASSERT_TRUE(trace.has_value());
        EXPECT_FALSE(facts.contradicts(*trace, step.action)) << step.action << " -> " << step.reasoning_trace;
        EXPECT_FALSE(facts.contradicts(*trace, step.action, step.next_observation.text))
            << step.action << " -> " << step.reasoning_trace << " -> " << step.next_observation.text;
        facts.observe(*trace, step.action, step.next_observation.text);
      }
    }
  }
}

TEST(ShownFacts, FindNothingWrongWithReality) {
  expect_nothing_wrong("alfworld", {{"text", "compact"}});
  expect_nothing_wrong("webshop", {});
  expect_nothing_wrong("toy", {});
}

}  // namespace
}  // namespace dreamgym
