#include "dreamgym/experience/text_language.h"

#include <gtest/gtest.h>

namespace dreamgym {
namespace {

constexpr const char* kEpisode =
    "put a hot mug in the cabinet. You are in the middle of a room. You open the drawer and see that it is empty.";

TEST(LanguageDifference, FindsAnotherScript) {
  EXPECT_NE(language_difference(kEpisode, "打开抽屉后里面是空的，没有杯子。").value_or("").find("Chinese or Japanese"),
            std::string::npos);
  EXPECT_NE(language_difference(kEpisode, "Ящик открывается, и он пуст.").value_or("").find("Cyrillic"),
            std::string::npos);
  EXPECT_TRUE(language_difference("Открой ящик.", "The drawer opens."));
}

TEST(LanguageDifference, FindsALatinLanguageThatIsNotEnglish) {
  EXPECT_TRUE(language_difference(
      kEpisode, "El agente abre el cajón, que está vacío, y por eso no hay nada que pueda tomar ahora mismo."));
  EXPECT_TRUE(language_difference(
      kEpisode, "Der Agent öffnet die Schublade, sie ist leer, also kann er nichts daraus nehmen und sucht weiter."));
}

TEST(LanguageDifference, FindsNoneWhereThereIsNone) {
  EXPECT_FALSE(language_difference(kEpisode, "The agent opens the drawer, which turns out to be empty."));
  EXPECT_FALSE(language_difference(kEpisode, "Drawer empty.")) << "too short to judge";
  EXPECT_FALSE(language_difference(kEpisode, "café \xff 42")) << "not even UTF-8";
  EXPECT_FALSE(language_difference("打开抽屉", "抽屉是空的"));
  EXPECT_FALSE(language_difference("", "The drawer opens."));
  EXPECT_FALSE(language_difference("open ticket 3; assign ticket 3 to 4; close ticket 3; list all tickets again now ok yes",
                                   "ticket 3 assigned; owner 4; ticket 3 closed; list shows 3 closed rest unchanged all fine"))
      << "a terse reference says nothing about function words";
}

}  // namespace
}  // namespace dreamgym
