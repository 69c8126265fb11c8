#include "dreamgym/base/number.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(ParseUnsigned, ReadsTheWholeTextOrNothing) {
  EXPECT_EQ(parse_unsigned("0"), 0U);
  EXPECT_EQ(parse_unsigned("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1x", "18446744073709551616"}) {
    EXPECT_FALSE(parse_unsigned(text)) << text;
  }
}

}  // namespace
}  // namespace dreamgym
