#include "dreamgym/worlds/alfworld/task_goal.h"

#include <gtest/gtest.h>

namespace dreamgym::alfworld {
namespace {

TEST(TaskGoal, EverySentenceIsReadBack) {
  for (const TaskType type : kTaskTypes) {
    const bool light = type == TaskType::kLight;
    const Goal goal = {type, "mug", light ? "" : "coffeemachine", light ? "desklamp" : ""};
    for (const int variant : {0, 1}) {
      const std::string sentence = task_sentence(goal, variant);
      EXPECT_EQ(parse_task_sentence(sentence), goal) << sentence;
      EXPECT_EQ(parse_task_sentence("Your task is to: " + sentence), goal) << sentence;
      EXPECT_EQ(parse_task_sentence(sentence.substr(0, sentence.size() - 1)), goal) << sentence;
    }
  }
}

TEST(TaskGoal, RealSentencesAreUnderstood) {
  EXPECT_EQ(parse_task_sentence("find two pen and put them in drawer."),
            (Goal{TaskType::kTwo, "pen", "drawer", ""}));
  EXPECT_EQ(parse_task_sentence("examine the book with the desklamp"),
            (Goal{TaskType::kLight, "book", "", "desklamp"}));
  EXPECT_EQ(parse_task_sentence("put some keychain on drawer."),
            (Goal{TaskType::kPlace, "keychain", "drawer", ""}));
}

TEST(TaskGoal, OtherSentencesAreNotGuessed) {
  for (const char* sentence : {"", "put", "buy me a red shoe", "put a in", "put a mug on desk"}) {
    EXPECT_FALSE(parse_task_sentence(sentence)) << sentence;
  }
}

TEST(TaskGoal, WhatIsWantedIsSaidAsTracesSayIt) {
  EXPECT_EQ(wanted_text({TaskType::kHeat, "mug", "cabinet", ""}), "hot mug in cabinet");
  EXPECT_EQ(wanted_text({TaskType::kPlace, "mug", "cabinet", ""}), "mug in cabinet");
  EXPECT_EQ(wanted_text({TaskType::kTwo, "mug", "cabinet", ""}), "two mug in cabinet");
  EXPECT_EQ(wanted_text({TaskType::kLight, "book", "", "desklamp"}), "book under desklamp");
}

TEST(TaskGoal, TypeNamesAreReadBack) {
  for (const TaskType type : kTaskTypes) {
    EXPECT_EQ(task_type_from_name(task_type_name(type)), type);
  }
  EXPECT_FALSE(task_type_from_name("pick_up_and_run"));
}

}  // namespace
}  // namespace dreamgym::alfworld
