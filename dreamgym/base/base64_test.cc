#include "dreamgym/base/base64.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

TEST(Base64, DecodesTheVectorsOfTheRfc) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYg=="), "foob");
  EXPECT_EQ(decode_base64("/+8="), "\xff\xef");
}

TEST(Base64, RefusesWhatIsNone) {
  EXPECT_FALSE(decode_base64("Zg="));
  EXPECT_FALSE(decode_base64("Z==="));
  EXPECT_FALSE(decode_base64("Zm9*"));
  EXPECT_FALSE(decode_base64("Zh=="));  // stray bits
  EXPECT_FALSE(decode_base64("=m9v"));
}

}  // namespace
}  // namespace dreamgym
