#include "dreamgym/experience/shown_facts.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dreamgym
