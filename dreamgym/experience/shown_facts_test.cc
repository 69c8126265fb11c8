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

  [[nodiscard]] std::string look(const char* observation) const {
    return facts_.contradiction(
        trace_of("effect: new; at: shelf 1; hold: mug 1"), "go to shelf 1", observation);
  }

  ShownFacts facts_;
};

TEST_F(ShownFactsTest, AcceptWhatNobodyHasSeen) {
  EXPECT_EQ(look("On the shelf 1, you see a pen 1, and a book 2."), "");
  EXPECT_EQ(look("On the shelf 1, you see nothing."), "");
}

TEST_F(ShownFactsTest, RefuseThingsInTwoPlaces) {
  EXPECT_EQ(look("On the shelf 1, you see a pen 1, and a book 1."), "book 1");
  EXPECT_EQ(look("On the shelf 1, you see a mug 1."), "mug 1");  // it is held
  EXPECT_EQ(look("On the shelf 1, you see a cup 1, and a cup 1."), "cup 1");
}

TEST_F(ShownFactsTest, FollowWhatIsPutDown) {
  facts_.observe(trace_of("effect: moved; at: bed 1; hold: nothing; here: mug 1"),
                 "move mug 1 to bed 1",
                 "You move the mug 1 to the bed 1.");
  EXPECT_EQ(look("On the shelf 1, you see a mug 1."), "mug 1");
  facts_.observe(trace_of("effect: moved; at: bed 1; hold: mug 1; here: nothing"),
                 "take mug 1 from bed 1",
                 "You pick up the mug 1 from the bed 1.");
  facts_.observe(trace_of("effect: done; at: bed 1; hold: nothing"), "drop it", "It is gone.");
  EXPECT_EQ(look("On the shelf 1, you see a mug 1."), "");
}

}  // namespace
}  // namespace dreamgym
