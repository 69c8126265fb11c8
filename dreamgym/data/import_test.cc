#include "dreamgym/data/import.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/statistics.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

namespace fs = std::filesystem;

fs::path write_log(const TemporaryFolder& folder, std::string_view text) {
  const fs::path path = folder.path() / "log.jsonl";
  std::ofstream(path, std::ios::binary) << text;  // no fsync: many tests write
  return path;
}

struct Imported {
  std::vector<Trajectory> trajectories;
  ImportReport report;
};

Imported import_text(LogFormat format, std::string_view text, const ImportOptions& options = {}) {
  Imported imported;
  const TemporaryFolder folder;
  const std::vector<fs::path> files = {write_log(folder, text)};
  imported.report = import_trajectories(format, files, options, [&](Trajectory trajectory) {
    imported.trajectories.push_back(std::move(trajectory));
  });
  return imported;
}

std::string error_of(LogFormat format, std::string_view text) {
  try {
    import_text(format, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// "observation | thought | action | next observation" of every step.
std::vector<std::string> steps_of(const Trajectory& trajectory) {
  std::vector<std::string> lines;
  for (const Transition& step : trajectory.steps) {
    lines.push_back(join(
        {step.observation.text, step.thought, step.action, step.next_observation.text}, " | "));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LogFormat, HasANameThatIsReadBack) {
  for (int i = 0; i < 5; ++i) {
    const auto format = static_cast<LogFormat>(i);
    EXPECT_EQ(log_format_from_name(log_format_name(format)), format);
  }
  EXPECT_THROW(log_format_from_name("shargpt"), Error);
}

TEST(ImportMessages, TakesAssistantTurnsAsActionsAndWhatFollowsAsObservations) {
  const auto [trajectories, report] = import_text(
      LogFormat::kMessages,
      R"({"messages":[{"role":"system","content":"Rules."},)"
      R"({"role":"user","content":"A room.\nYour task is to: open the chest."},)"
      R"({"role":"assistant","content":"Thought: First the key.\nAction: take key"},)"
      R"({"role":"user","content":"You take it."},)"
      R"({"role":"assistant","content":"open chest"},{"role":"user","content":"It opens."}],)"
      R"("id":"e7","reward":1})");
  ASSERT_EQ(trajectories.size(), 1);
  const Trajectory& episode = trajectories[0];
  EXPECT_EQ(steps_of(episode),
            (Lines{"A room.\nYour task is to: open the chest. | First the key. | take key | You "
                   "take it.",
                   "You take it. |  | open chest | It opens."}));
  EXPECT_EQ(episode.episode_id, "e7");
  EXPECT_EQ(episode.task.instruction, "open the chest");
  EXPECT_EQ(episode.task.world, "none");
  EXPECT_EQ(episode.task.split, "train");
  EXPECT_EQ(episode.task.settings.at("system"), "Rules.");
  EXPECT_TRUE(episode.success());
  EXPECT_EQ(episode.steps[0].reward, 0);
  EXPECT_EQ(episode.steps[1].reward, 1);
  EXPECT_TRUE(episode.steps[1].terminated);
  EXPECT_EQ(report.unknown_outcomes, 0);
  EXPECT_EQ(report.transitions, 2);
}

TEST(ImportMessages, ReadsToolCallsWithTextOrObjectArguments) {
  const auto [trajectories, report] = import_text(
      LogFormat::kMessages,
      R"({"tools":[{"type":"function"}],"messages":[{"role":"user","content":"Find a lamp."},)"
      R"({"role":"assistant","content":null,"tool_calls":[)"
      R"({"id":"a","type":"function","function":{"name":"search","arguments":"{\"q\": \"lamp\"}"}},)"
      R"({"id":"b","type":"function","function":{"name":"stock","arguments":{"shop":2,"all":true}}}]},)"
      R"({"role":"tool","tool_call_id":"b","content":"3 left"},)"
      R"({"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"red lamp"},)"
      R"({"type":"image_url","image_url":{}}]},)"
      R"({"role":"assistant","content":"Found.","reasoning_content":"Easy."}]})");
  EXPECT_EQ(steps_of(trajectories.at(0)),
            (Lines{R"(Find a lamp. |  | stock {"shop":2,"all":true} | 3 left)",
                   "3 left |  | search {\"q\":\"lamp\"} | red lamp\n[image_url]",
                   "red lamp\n[image_url] | Easy. | Found. | "}));
  EXPECT_EQ(trajectories[0].task.instruction, "Find a lamp.");
  EXPECT_EQ(trajectories[0].task.settings.at("tools"), R"([{"type":"function"}])");
  EXPECT_EQ(report.unknown_outcomes, 1);
}

TEST(ImportMessages, TakesTheFirstOfTwoAssistantTurnsAsThought) {
  const auto [trajectories, report] = import_text(
      LogFormat::kMessages,
      R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"Hm."},)"
      R"({"role":"assistant","content":"","tool_calls":[{"function":{"name":"go"}}]},)"
      R"({"role":"tool","content":"there"},{"role":"user","content":"and now?"},)"
      R"({"role":"assistant","content":null},{"role":"assistant","content":"stop"}]})");
  EXPECT_EQ(steps_of(trajectories.at(0)),
            (Lines{"u | Hm. | go | there\nand now?", "there\nand now? |  | stop | "}));
}

TEST(ImportMessages, NamesLineAndKeyOfWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"conversations":[]})", R"(:1: key "messages": expected a list, got nothing)"},
      {R"({"messages":[{"role":"robot"}]})", R"(key "messages[0].role": expected one of system)"},
      {R"({"messages":[{"content":"x"}]})", R"(key "messages[0].role": expected a string)"},
      {R"({"messages":[{"role":"user","content":7}]})",
       R"(key "messages[0].content": expected null)"},
      {R"({"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]})",
       R"(key "messages[0].tool_calls[0].function.name": expected a string, got nothing)"},
      {R"({"messages":[{"role":"user","content":"x"}]})", "expected at least one assistant turn"},
      {R"({"messages":[{"role":"assistant","content":"x"}],"reward":"high"})",
       R"(key "reward": expected a finite number)"},
  };
  for (const auto& [line, message] : cases) {
    const std::string error = error_of(LogFormat::kMessages, line);
    EXPECT_TRUE(contains(error, message)) << line << "\n  said: " << error;
  }
}

TEST(ImportFormats, OneTakenForAnotherIsNamed) {
  const std::vector<std::tuple<LogFormat, std::string, std::string>> cases = {
      {LogFormat::kShareGpt, R"({"messages":[]})", "--format messages"},
      {LogFormat::kMessages, R"({"conversations":[]})", "--format sharegpt"},
      {LogFormat::kMessages, R"({"item_id":"a","conversations":[]})", "--format agentgym"},
      {LogFormat::kMessages, R"({"steps":[]})", "--format canonical"},
      {LogFormat::kCanonical, R"({"messages":[]})", "--format messages"},
  };
  for (const auto& [format, line, hint] : cases) {
    const std::string error = error_of(format, line);
    EXPECT_TRUE(contains(error, hint)) << line << "\n  said: " << error;
  }
  EXPECT_FALSE(contains(error_of(LogFormat::kMessages, R"({"messages":[{"role":"robot"}]})"), "--format"));
}

TEST(ImportOptions, DecideEpisodesWhoseEndIsNotLogged) {
  const std::string line =
      R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a"},)"
      R"({"role":"user","content":"Well done!"}]})";
  const auto outcome = [&](const ImportOptions& options) {
    return import_text(LogFormat::kMessages, line, options).trajectories.at(0).outcome;
  };
  EXPECT_EQ(outcome({}), Outcome::kSuccess);
  EXPECT_EQ(outcome({.success_by_default = false}), Outcome::kTruncated);
  EXPECT_EQ(outcome({.success_by_default = false, .success_marker = "done!"}), Outcome::kSuccess);
  EXPECT_EQ(outcome({.success_marker = "congratulations"}), Outcome::kTruncated);
}

TEST(ImportOptions, OverrideWorldAndSplit) {
  const std::string line =
      R"({"env":"shop","split":"test","messages":[{"role":"assistant","content":"a"}]})";
  const auto as_logged = import_text(LogFormat::kMessages, line).trajectories.at(0).task;
  EXPECT_EQ(as_logged.world, "shop");
  EXPECT_EQ(as_logged.split, "test");
  const auto wanted = import_text(LogFormat::kMessages, line, {.world = "toy", .split = "mine"});
  EXPECT_EQ(wanted.trajectories.at(0).task.world, "toy");
  EXPECT_EQ(wanted.trajectories.at(0).task.split, "mine");
}

TEST(ImportShareGpt, ReadsAListAndLeavesTheDummyReplyOut) {
  const auto [trajectories, report] = import_text(
      LogFormat::kShareGpt,
      "[\n {\"id\":\"shop_3\",\"conversations\":[{\"from\":\"human\",\"value\":\"Rules.\"},"
      "{\"from\":\"gpt\",\"value\":\"OK\"},"
      "{\"from\":\"human\",\"value\":\"WebShop [SEP] Instruction: [SEP] Find a lamp [SEP] "
      "Search\"},"
      "{\"from\":\"gpt\",\"value\":\"Thought: t\\nAction: search[lamp]\"},"
      "{\"from\":\"human\",\"value\":\"page\"}]},\n"
      " {\"conversations\":[{\"from\":\"human\",\"value\":\"Hello\"},"
      "{\"from\":\"gpt\",\"value\":\"OK\"}]}\n]\n");
  ASSERT_EQ(trajectories.size(), 2);
  EXPECT_EQ(
      steps_of(trajectories[0]),
      (Lines{
          "WebShop [SEP] Instruction: [SEP] Find a lamp [SEP] Search | t | search[lamp] | page"}));
  EXPECT_EQ(trajectories[0].task.instruction, "Find a lamp");
  EXPECT_EQ(trajectories[0].episode_id, "shop_3");
  EXPECT_EQ(steps_of(trajectories[1]), (Lines{"Hello |  | OK | "}));
  EXPECT_EQ(trajectories[1].episode_id, "log.jsonl:3");
}

TEST(ImportShareGpt, ReadsFunctionCallsOfItsDialects) {
  const auto [trajectories, report] = import_text(
      LogFormat::kShareGpt,
      R"({"system":"Rules.","conversations":[{"from":"human","value":"go"},)"
      R"({"from":"function_call","value":"{\"name\":\"find\",\"arguments\":{\"x\":1}}"},)"
      R"({"from":"observation","value":"found"},{"from":"gpt","value":"Done."}]})");
  EXPECT_EQ(steps_of(trajectories.at(0)),
            (Lines{R"(go |  | find {"x":1} | found)", "found |  | Done. | "}));
  EXPECT_EQ(trajectories[0].task.settings.at("system"), "Rules.");
}

TEST(ImportAgentGym, HonoursTheLossFlags) {
  const auto [trajectories, report] = import_text(
      LogFormat::kAgentGym,
      R"([{"item_id":"alfworld_12","conversations":[)"
      R"({"from":"human","loss":null,"value":"Interact with a household."},)"
      R"({"from":"gpt","loss":false,"value":"Sure, I will follow the rules and say Action: as told"},)"
      R"({"from":"human","loss":null,"value":"A room.\n\nYour task is to: put a mug on desk."},)"
      R"({"from":"gpt","loss":true,"value":"Thought:\nI go.\n\nAction:\ngo to desk 1"},)"
      R"({"from":"human","loss":null,"value":"On the desk 1, you see a mug 1."},)"
      R"({"from":"gpt","loss":true,"value":"take mug 1"}]}])");
  EXPECT_EQ(steps_of(trajectories.at(0)),
            (Lines{"A room.\n\nYour task is to: put a mug on desk. | I go. | go to desk 1 | On the "
                   "desk 1, you see a mug 1.",
                   "On the desk 1, you see a mug 1. |  | take mug 1 | "}));
  EXPECT_EQ(trajectories[0].task.id, "alfworld_12");
  EXPECT_EQ(trajectories[0].task.instruction, "put a mug on desk");
  EXPECT_EQ(trajectories[0].task.settings.at("system"), "Interact with a household.");
}

TEST(ImportAgentGym, SaysWhatIsMissingInAListOfIds) {
  const std::string error = error_of(LogFormat::kAgentGym, R"([{"item_id":"webarena_41"}])");
  EXPECT_TRUE(contains(error, R"(log.jsonl:1: key "conversations": expected a list, got nothing)"))
      << error;
}

TEST(ImportLists, SkipBrokenItemsAndNameTheirLines) {
  const std::string good = R"({"conversations":[{"from":"human","value":"[,]\"{"},)"
                           R"({"from":"gpt","value":"go"}]})";
  const std::string text =
      "\xef\xbb\xbf [" + good + ",\n{\"conversations\": oops },\n" + good + "\n";
  const std::string error = error_of(LogFormat::kShareGpt, text);
  EXPECT_TRUE(contains(error, "log.jsonl:2: not valid JSON at byte 19")) << error;
  const auto [trajectories, report] = import_text(LogFormat::kShareGpt, text, {.skip_bad = true});
  EXPECT_EQ(trajectories.size(), 2);
  EXPECT_EQ(report.records, 4);  // the missing ']' counts as one
  EXPECT_EQ(report.bad_records, 2);
  EXPECT_EQ(trajectories[0].steps[0].observation.text, "[,]\"{");
}

TEST(ImportLists, SurviveEveryTruncation) {
  const std::string text =
      R"([{"conversations":[{"from":"gpt","value":"a\"]"}]}, {"conversations":[]}, 3, "x\\"])";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    EXPECT_NE(error_of(LogFormat::kShareGpt, text.substr(0, length)), "") << length;
  }
}

TEST(ImportCanonical, KeepsTrajectoriesAndMakesIdsUnique) {
  const auto [trajectories, report] = import_text(
      LogFormat::kCanonical,
      "{\"episode_id\":\"e\",\"world\":\"toy\",\"steps\":[]}\n"
      "{\"episode_id\":\"e\",\"task\":{\"id\":\"t\",\"split\":\"test\"},\"steps\":[]}\n");
  ASSERT_EQ(trajectories.size(), 2);
  EXPECT_EQ(trajectories[0].task.world, "toy");
  EXPECT_EQ(trajectories[0].task.split, "train");
  EXPECT_EQ(trajectories[1].episode_id, "e#2");
  EXPECT_EQ(trajectories[1].task.split, "test");
}

TEST(Import, LetsTheSinksOwnErrorsPass) {
  const TemporaryFolder folder;
  const std::vector<fs::path> files = {write_log(folder, "{\"steps\":[]}\n{\"steps\":[]}\n")};
  const auto sink = [](const Trajectory&) { throw Error(ErrorKind::kIo, "disk full"); };
  try {
    import_trajectories(LogFormat::kCanonical, files, {.skip_bad = true}, sink);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_STREQ(error.what(), "disk full");
  }
}

TEST(ImportAlfworldLog, ReadsStepsThoughtsAndSuccess) {
  const auto [trajectories, report] = import_text(
      LogFormat::kAlfworldLog,
      R"({"env":"alfworld","task":"put some mug on desk.","game":"g/1","task_type":"pick",)"
      R"("source":"owner/repo@1f:file.jsonl#4","success":true,"steps":[)"
      R"({"state":"s0","action":"jump","next_state":"Nothing happens.","reward":0,"done":false,)"
      R"("thought":["a","b"]},)"
      R"({"state":"Nothing happens.","action":"put","next_state":"s2","reward":1.0,"done":true}]})");
  const Trajectory& episode = trajectories.at(0);
  EXPECT_EQ(episode.task.instruction, "put some mug on desk");
  EXPECT_EQ(episode.task.world, "alfworld");
  EXPECT_EQ(episode.task.id, "g/1");
  EXPECT_EQ(episode.task.settings.at("type"), "pick");
  EXPECT_EQ(episode.episode_id, "owner/repo@1f:file.jsonl#4");
  EXPECT_EQ(episode.policy_version, "owner/repo@1f");
  EXPECT_FALSE(episode.steps[0].action_valid);
  EXPECT_EQ(episode.steps[0].thought, "a\nb");
  EXPECT_TRUE(episode.success());
  const std::string error =
      error_of(LogFormat::kAlfworldLog, R"({"task":"t","steps":[{"state":"s"}]})");
  EXPECT_TRUE(
      contains(error, "log.jsonl:1: key \"steps[0].action\": expected a string, got nothing"))
      << error;
}

TEST(ImportAlfworldLog, ReadsAllTheRealEpisodes) {
  const char* folder = std::getenv("DREAMGYM_DATA");
  const fs::path data =
      folder != nullptr ? fs::path(folder) : fs::path(DREAMGYM_SOURCE_DIR) / "../shared/data";
  const std::vector<fs::path> files = {data / "alfworld/logs/episodes.jsonl"};
  if (!fs::exists(files[0])) {
    GTEST_SKIP() << files[0] << " is not there";
  }
  std::vector<Trajectory> trajectories;
  const ImportReport report =
      import_trajectories(LogFormat::kAlfworldLog, files, {}, [&](Trajectory t) {
        trajectories.push_back(std::move(t));
      });
  EXPECT_EQ(report.episodes, 980);
  EXPECT_EQ(report.bad_records, 0);
  const TrajectoryStatistics statistics = trajectory_statistics(trajectories);
  EXPECT_EQ(statistics.all.transitions, 17599);
  EXPECT_EQ(statistics.all.successes, 282);
  EXPECT_EQ(statistics.by_outcome.at("truncated").trajectories, 698);
  EXPECT_EQ(statistics.broken_links, 1);
}

}  // namespace
}  // namespace dreamgym
