#include "dreamgym/replay/internal/row_codec.h"

#include <gtest/gtest.h>

namespace dreamgym::replay_internal {
namespace {

TEST(RowCodec, GivesBackEveryList) {
  for (const std::vector<std::string>& list : {std::vector<std::string>{},
                                               {""},
                                               {"", ""},
                                               {"go to desk 1", "look"},
                                               {"a\nb", "\\", "\\n", "\n", "x\\\ny"}}) {
    EXPECT_EQ(list_from_text(list_to_text(list)), list);
  }
  EXPECT_EQ(list_to_text({"go", "a\nb"}), "go\na\\nb\n");
}

TEST(RowCodec, GivesBackEveryMap) {
  const std::map<std::string, std::string> map = {{"", "x"}, {"a\n", "\\"}, {"won", "true"}};
  EXPECT_EQ(map_from_text(map_to_text(map)), map);
}

}  // namespace
}  // namespace dreamgym::replay_internal
