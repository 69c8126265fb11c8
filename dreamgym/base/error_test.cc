#include "dreamgym/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dreamgym {
namespace {

TEST(Error, ShowsMessageThenHint) {
  const Error error(ErrorKind::kIo, "can't read x", "check the path");
  EXPECT_STREQ(error.what(), "can't read x\n  hint: check the path");
  EXPECT_EQ(error.kind(), ErrorKind::kIo);
}

TEST(Error, ShowsNoHintLineWithoutHint) {
  EXPECT_STREQ(Error(ErrorKind::kParse, "line 3: expected {").what(), "line 3: expected {");
}

TEST(Error, KindsHaveDistinctNames) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kDiverged); ++kind) {
    names.insert(error_kind_name(static_cast<ErrorKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorKind::kDiverged) + 1);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(error_kind_name(ErrorKind::kCorrupt), "corrupt data");
}

TEST(Check, IsSilentWhenTheConditionHolds) {
  EXPECT_NO_THROW(check(true, "1 = 1"));
}

TEST(Check, NamesConditionFileAndLineOfTheCaller) {
  const int line = __LINE__ + 2;
  try {
    check(false, "bound > 0");
    FAIL() << "check did not throw";
  } catch (const LogicError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("bound > 0"), std::string::npos) << text;
    EXPECT_NE(text.find("error_test.cc:" + std::to_string(line)), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace dreamgym
