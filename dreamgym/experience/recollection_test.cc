#include "dreamgym/experience/recollection.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(EntitiesOf, AreWordsBeforeNumbers) {
  EXPECT_EQ(entities_of("take mug 1 from desk 12"), (std::vector<std::string>{"mug 1", "desk 12"}));
  EXPECT_TRUE(entities_of("look around 2nd-hand").size() == 1);  // "around 2"
  EXPECT_TRUE(entities_of("").empty());
  EXPECT_TRUE(entities_of("inventory").empty());
}

TEST(Recollect, ShowsTheLatestStepsAboutTheNamedThings) {
  const std::vector<PastStep> past = {{"go to desk 1", "You see a mug 1."},
                                      {"go to shelf 2", "You see nothing."},
                                      {"go to desk 1", "You see a mug 1."},
                                      {"take mug 1 from desk 1", "You pick it up."},
                                      {"look", "You see a room."}};
  const auto shown = recollect(past, "go to desk 1", 2);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].action, "go to desk 1");
  EXPECT_EQ(shown[1].action, "take mug 1 from desk 1");
  EXPECT_EQ(recollect(past, "go to desk 1", 9).size(), 2U);  // not back to the first look
  EXPECT_EQ(recollect(past, "open desk 1", 9).size(), 3U);
  EXPECT_TRUE(recollect(past, "go to desk 11", 2).empty());
  EXPECT_EQ(recollect(past, "look", 2).size(), 1U);
  EXPECT_TRUE(recollect(past, "go to desk 1", 0).empty());
}

}  // namespace
}  // namespace dreamgym
