#include "dreamgym/train/preference_record.h"

#include <gtest/gtest.h>

#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

Trajectory episode(const std::string& id, const std::vector<std::string>& actions) {
  Trajectory out;
  out.episode_id = id;
  out.task = {.id = "t1", .instruction = "find the mug"};
  std::string seen = "hall.";
  for (const std::string& action : actions) {
    const std::string next = "after " + action;
    out.steps.push_back(
        {.observation = {.text = seen}, .action = action, .next_observation = {.text = next}});
    seen = next;
  }
  return out;
}

TEST(PreferenceRecordOf, SplitsTheDialoguesWhereTheyPart) {
  const PreferenceRecord record = preference_record(
      episode("win", {"go", "look", "take"}), episode("lose", {"go", "sleep"}), 1);
  EXPECT_EQ(record.id, "t1:win:lose");
  ASSERT_EQ(record.prompt.size(), 3u);
  EXPECT_TRUE(contains(record.prompt[0].text, "find the mug"));
  EXPECT_TRUE(record.prompt[0].text.ends_with("\n\nhall."));
  EXPECT_EQ(record.prompt[1], (DialogueTurn{true, "go"}));
  EXPECT_EQ(record.prompt[2], (DialogueTurn{false, "after go"}));
  EXPECT_EQ(record.chosen,
            (std::vector<DialogueTurn>{{true, "look"}, {false, "after look"}, {true, "take"}}));
  EXPECT_EQ(record.rejected, (std::vector<DialogueTurn>{{true, "sleep"}}));
}

TEST(PreferenceRecordOf, HasOnlyTheFirstObservationForPromptWhenNothingIsShared) {
  const auto record = preference_record(episode("win", {"a"}), episode("lose", {"b"}), 0);
  EXPECT_EQ(record.prompt.size(), 1u);
  EXPECT_FALSE(record.prompt[0].by_agent);
}

TEST(EtoJson, ReadsBackWhatItWrote) {
  const PreferenceRecord record =
      preference_record(episode("win", {"go", "take \"it\""}), episode("lose", {"go", "sleep"}), 1);
  const std::string line = to_eto_json(record);
  EXPECT_FALSE(contains(line, "\n"));
  EXPECT_EQ(preference_record_from_eto(line), record);
}

TEST(EtoJson, ReadsANumberedRecord) {
  const auto record = preference_record_from_eto(
      R"({"id": 7, "prompt": [{"from": "human", "value": "task"}],
          "chosen": [{"from": "gpt", "value": "a"}], "rejected": [{"from": "gpt", "value": "b"}]})");
  EXPECT_EQ(record.id, "7");
  EXPECT_EQ(record.rejected[0].text, "b");
}

TEST(EtoJson, SaysWhatIsWrongWithARecord) {
  const auto with = [](const std::string& prompt, const std::string& chosen) {
    return R"({"id": "x", "prompt": )" + prompt + R"(, "chosen": )" + chosen +
           R"(, "rejected": [{"from": "gpt", "value": "b"}]})";
  };
  const std::string human = R"([{"from": "human", "value": "task"}])";
  const std::string gpt = R"([{"from": "gpt", "value": "a"}])";
  const auto complaint = [](const std::string& json) {
    return message_of([&] { return preference_record_from_eto(json); });
  };
  EXPECT_EQ(complaint(with(human, gpt)), "");
  EXPECT_TRUE(contains(complaint("[1"), "a JSON object"));
  EXPECT_TRUE(contains(complaint("{}"), "id expected"));
  EXPECT_TRUE(contains(complaint(with("[]", gpt)), "prompt expected to be a list of turns"));
  EXPECT_TRUE(contains(complaint(with(gpt, gpt)), "ends with a human turn"));
  EXPECT_TRUE(contains(complaint(with(human, human)), "chosen expected to be a tail"));
  EXPECT_TRUE(contains(complaint(with(R"([{"from": "bot", "value": "a"}])", gpt)), "prompt[0]"));
  EXPECT_TRUE(contains(
      complaint(with(R"([{"from": "human", "value": "a"}, {"from": "human", "value": "b"}])", gpt)),
      "prompt[1] expected to be of the other speaker"));
}

}  // namespace
}  // namespace dreamgym
