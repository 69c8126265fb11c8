#include "dreamgym/worlds/invented/phrasing.h"

#include <gtest/gtest.h>

namespace dreamgym::invented {
namespace {

TEST(Fill, ReplacesEverySlotAndIgnoresUnusedOnes) {
  EXPECT_EQ(fill("{x} and {x} in {p}", {{'x', "a"}, {'p', "b"}, {'q', "c"}}), "a and a in b");
}

TEST(Fill, LeavesBracesThatAreNoSlots) {
  EXPECT_EQ(fill("{ab} {", {{'a', "x"}}), "{ab} {");
}

TEST(Fill, DropsSlotsWithoutAText) {
  EXPECT_EQ(fill("a{z}b", {}), "ab");
}

TEST(ListText, JoinsLikeAlfworld) {
  const ListForm form{"a ", ", ", ", and ", "nothing"};
  EXPECT_EQ(list_text({}, form), "nothing");
  EXPECT_EQ(list_text({"x 1"}, form), "a x 1");
  EXPECT_EQ(list_text({"x 1", "y 2"}, form), "a x 1, and a y 2");
  EXPECT_EQ(list_text({"x 1", "y 2", "z 1"}, form), "a x 1, a y 2, and a z 1");
}

TEST(Between, ReachesBothEndsAndNothingElse) {
  Rng rng(4);
  bool saw_low = false;
  bool saw_high = false;
  for (int i = 0; i < 200; ++i) {
    const int value = between(-1, 2, rng);
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 2);
    saw_low = saw_low || value == -1;
    saw_high = saw_high || value == 2;
  }
  EXPECT_TRUE(saw_low && saw_high);
}

}  // namespace
}  // namespace dreamgym::invented
