// The doors, end to end: each verb is run as a person would, on generated data.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/ran.h"

namespace dreamgym {
namespace {

// A quickstart of seconds: tiny weights, few episodes.
const std::string kTiny =
    "--set base.model= --set base.preset=nano-s --set data.collect_episodes=40 --set data.train_tasks=20 "
    "--set data.eval_tasks=10 --set data.demonstrations=10 --set experience_sft.epochs=0.3 "
    "--set start_sft.epochs=1 --set all_sft.epochs=0.3 --set dream.iterations=2 "
    "--set dream.tasks_per_iteration=2 --set dream.group_size=2 --set check.tasks=4 --set check.force=true "
    "--set evaluation.fidelity_episodes=2 --set max_steps=8 --set data.held_out_share=0.3 ";

TEST(Cli, HelpNamesEveryVerbAndEachHasAnExample) {
  const Ran help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* verb : {"quickstart", "train", "eval", "play", "worlds", "collect", "import", "export",
                           "annotate", "data", "index", "lm", "sft", "pretrain", "report", "doctor", "bench"}) {
    EXPECT_NE(help.out.find(verb), std::string::npos) << verb;
    EXPECT_EQ(run(std::string(verb) + " --help").code, 0) << verb;
  }
  EXPECT_NE(run("play --help").out.find("Example"), std::string::npos);
}

TEST(Cli, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("fly").code, 2);
  EXPECT_EQ(run("play").code, 2);
  const Ran unknown = run("quickstart --out /tmp/never --set dream.iteratoins=3");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.errors.find("dream.iterations"), std::string::npos) << unknown.errors;
  const Ran range = run("quickstart --out /tmp/never --set dream.group_size=1");
  EXPECT_EQ(range.code, 2);
  EXPECT_NE(range.errors.find("at least 2"), std::string::npos) << range.errors;
}

TEST(Cli, PlayPrintsTheLinesOfItsContract) {
  const TemporaryFolder folder;
  const Path script = folder.path() / "script.jsonl";
  write_file(script, "\"look\"\n\"inventory\"\n\"fly \\u00e9\"\n");
  const Ran ran = run("play alfworld --seed 1 --script " + script.string() + " --json");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  const auto said = lines(ran.out);
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0].at("step"), 0);
  EXPECT_TRUE(said[0].at("task").is_object());
  EXPECT_TRUE(said[0].at("observation").is_string());
  EXPECT_TRUE(said[0].at("admissible").is_array());
  for (std::size_t t = 1; t < said.size(); ++t) {
    EXPECT_EQ(said[t].at("step"), t);
    for (const char* key : {"action", "observation", "admissible", "reward", "terminated", "truncated", "info"}) {
      EXPECT_TRUE(said[t].contains(key)) << key;
    }
    EXPECT_EQ(said[t].at("info").at("won"), false);
    EXPECT_EQ(said[t].at("info").at("score"), 0);
  }
  EXPECT_EQ(said[3].at("observation"), "Nothing happens.");
}

TEST(Cli, CollectAnnotateStatsExportImportRoundTrip) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  const std::string out = (folder.path() / "out.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 12 --out " + logs).code, 0);
  EXPECT_EQ(run("annotate " + logs + " --out " + out).code, 0);
  EXPECT_EQ(read_file(logs), read_file(out));
  EXPECT_EQ(lines(run("data stats --json " + logs).out).size(), 1U);
  EXPECT_EQ(run("export --format messages " + logs + " --out " + out).code, 0);
  const Ran again = run("import --format messages " + out + " --out " + logs);
  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_NE(again.out.find("12 episodes"), std::string::npos);
}

TEST(Cli, BadInputIsNamedAndNothingIsWritten) {
  const TemporaryFolder folder;
  const Path logs = folder.path() / "bad.jsonl";
  const Path out = folder.path() / "out.jsonl";
  write_file(logs, "{\"messages\":[]\n");
  const Ran ran = run("import --format messages " + logs.string() + " --out " + out.string());
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.errors.find("bad.jsonl:1"), std::string::npos) << ran.errors;
  EXPECT_FALSE(std::filesystem::exists(out));
  write_file(folder.path() / "game.tw-pddl", "{\"grammar\": 3");
  EXPECT_EQ(run("play alfworld --game " + (folder.path() / "game.tw-pddl").string()).code, 1);
  EXPECT_EQ(run("train " + (folder.path() / "none.toml").string() + " --run " + out.string()).code, 1);
  EXPECT_EQ(run("report " + (folder.path() / "nothing").string()).code, 1);
}

TEST(Cli, QuickstartEndsWithItsTableAndContinuesWhereItStopped) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder.path() / "run").string();
  const Ran first = run("quickstart --out " + run_folder + " " + kTiny);
  ASSERT_EQ(first.code, 0) << first.errors;
  EXPECT_NE(first.out.find("DreamGym-S2R"), std::string::npos);
  EXPECT_NE(first.out.find("report.html"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(run_folder + "/report.html"));
  const Ran second = run("quickstart --json --out " + run_folder + " " + kTiny);
  EXPECT_EQ(second.code, 0) << second.errors;
  EXPECT_GE(lines(second.out).size(), 6U);
  const Ran other = run("quickstart --seed 2 --out " + run_folder + " " + kTiny);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.errors.find("seed"), std::string::npos) << other.errors;

  const Path script = folder.path() / "script.txt";
  write_file(script, "look\n");
  EXPECT_EQ(run("play dream:" + run_folder + " --json --script " + script.string()).code, 0);
  EXPECT_EQ(run("eval policy --run " + run_folder + " --model start --episodes 4 --max-steps 5 --json").code, 0);
  const Ran measured = run("eval experience --run " + run_folder + " --episodes 2 --json");
  EXPECT_EQ(measured.code, 0) << measured.errors;
  EXPECT_EQ(run("index verify " + run_folder + "/experience.sqlite").code, 0);
  EXPECT_EQ(run("doctor model " + run_folder + "/models/start --probes 0").code, 0);
}

TEST(Cli, TrainsFromLogsOfAToolWithoutAnyEngine) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 30 --out " + logs).code, 0);
  const Path config = folder.path() / "none.toml";
  write_file(config, "world = \"none\"\n[data]\nlogs = [\"" + logs + "\"]\n");
  const Ran ran = run("train " + config.string() + " --run " + (folder.path() / "run").string() + " " + kTiny);
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_NE(ran.out.find("nothing here was checked against reality"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace dreamgym
