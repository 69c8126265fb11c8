#include "dreamgym/data/entities.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(EntitiesOf, AreWordsBeforeNumbers) {
  EXPECT_EQ(entities_of("take mug 1 from desk 12"), (std::vector<std::string>{"mug 1", "desk 12"}));
  EXPECT_EQ(entities_of("look around 2nd-hand").size(), 1U);  // "around 2"
  EXPECT_TRUE(entities_of("").empty());
  EXPECT_TRUE(entities_of("inventory").empty());
  EXPECT_TRUE(entities_of("a ").empty());
}

TEST(EntitiesBeside, LeaveOutThePlaceAndTheActionsThings) {
  EXPECT_EQ(entities_beside("On the desk 1, a mug 1, a pen 2, a mug 2.", "desk 1", "take mug 1 from desk 1"),
            (std::vector<std::string>{"pen 2", "mug 2"}));
  EXPECT_EQ(entities_beside("a mug 1", "", "").size(), 1U);
}

TEST(EntitySpans, SayWhereTheWordEnds) {
  const auto spans = entity_spans("open desk 12.");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].begin, 5U);
  EXPECT_EQ(spans[0].length, 7U);
  EXPECT_EQ(spans[0].word, 4U);
}

}  // namespace
}  // namespace dreamgym
