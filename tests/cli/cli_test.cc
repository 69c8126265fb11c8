// The doors, end to end: each verb is run as a person would, on generated data.

#include <gtest/gtest.h>

#include <filesystem>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "tests/cli/ran.h"
#include "tests/fault_server.h"
#include "tests/temporary_folder.h"

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
  for (const char* verb : {"quickstart", "train", "reproduce", "eval", "play", "worlds", "collect", "import", "export",
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
  for (const char* arguments : {"collect alfworld --out /tmp/never --episodes -1", "play alfworld --seed=-3"}) {
    const Ran negative = run(arguments);
    EXPECT_EQ(negative.code, 2);
    EXPECT_NE(negative.errors.find("expected at least 0"), std::string::npos) << negative.errors;
  }
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

// A teacher that fails one request in four, each time in another way.
FaultReply unreliable_teacher(const FaultRequest& request) {
  using Fault = FaultReply::Fault;
  const auto body = nlohmann::json::parse(request.body);
  const std::string question = body["messages"][1]["content"];
  const std::string marker = "Number of steps: ";
  const auto steps = std::stoul(question.substr(question.find(marker) + marker.size()));
  nlohmann::json answer = {{"task_tutorial", {{"overall_plan", "a"}, {"success_mode", "b"}, {"failure_mode", "c"}}}};
  for (std::size_t t = 1; t <= steps; ++t) {
    answer["state_transitions"].push_back({{"step_id", t}, {"transition_plan", "Step " + std::to_string(t) + " of it."}});
  }
  const FaultReply good{.body = chat_answer(answer.dump())};
  if (request.number % 4 != 0) {
    return good;
  }
  const std::vector<FaultReply> faults = {{.status = 429, .body = "{}", .headers = "Retry-After: 0\r\n"},
                                          {.body = good.body, .fault = Fault::kCut},
                                          {.status = 500, .body = "oops"},
                                          {.body = chat_answer("I would rather not.")}};
  return faults[request.number / 4 % faults.size()];
}

TEST(Cli, AnnotatesWithATeacherThatFailsNowAndThen) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  const std::string out = (folder.path() / "explained.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 30 --out " + logs).code, 0);
  FaultServer teacher(unreliable_teacher);
  const std::string command = "annotate " + logs + " --teacher " + teacher.url() +
                              " --teacher-model m --key-variable \"\" --out " + out;
  const Ran first = run(command);
  ASSERT_EQ(first.code, 0) << first.errors;
  const auto statistics = lines(run("data stats --json " + out).out).at(0);
  EXPECT_EQ(statistics["explained_transitions"], statistics["transitions"]);
  EXPECT_EQ(statistics["trajectories"], 30);
  EXPECT_NE(first.errors.find("repaired"), std::string::npos) << first.errors;
  const std::size_t asked = teacher.num_requests();
  EXPECT_GT(asked, 30U);
  const std::string explained = read_file(out);
  EXPECT_EQ(run(command).code, 0);
  EXPECT_EQ(teacher.num_requests(), asked) << "the journal answers the second run";
  EXPECT_EQ(read_file(out), explained);
  const Ran missing = run(command + " --description " + (folder.path() / "none.md").string());
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.errors.find("none.md"), std::string::npos) << missing.errors;
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
  const Ran no_run = run("report " + folder.path().string());
  EXPECT_EQ(no_run.code, 1) << "a folder without a run would get an empty page";
  EXPECT_NE(no_run.errors.find("is no run folder"), std::string::npos) << no_run.errors;
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

TEST(Cli, Table1RunsItsWholeGridAndContinues) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "table1").string();
  const std::string command = "reproduce table1 --world alfworld --scale tiny --out " + out;
  const Ran first = run(command + " --seeds 1");
  ASSERT_EQ(first.code, 0) << first.errors;
  const Ran both = run(command + " --seeds 2");
  ASSERT_EQ(both.code, 0) << both.errors;
  for (const char* method : {"Zero-shot", "SFT on all logged successes", "DPO", "GRPO, traditional", "GRPO, DreamGym",
                             "GRPO, DreamGym-S2R", "PPO, traditional", "PPO, DreamGym", "PPO, DreamGym-S2R"}) {
    EXPECT_NE(both.out.find(std::string("| ") + method + " |"), std::string::npos) << method;
  }
  EXPECT_EQ(both.out.find("not run"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("0 online real steps (experience model saw "), std::string::npos);
  EXPECT_NE(both.out.find("62.1 / 66.3 / 71.0"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out + "/table1.html"));
  EXPECT_TRUE(std::filesystem::exists(out + "/seed-2/report.html"));
  EXPECT_EQ(run("reproduce table1 --scale huge --out " + out).code, 2);
  EXPECT_EQ(run("reproduce table1 --world webarena --out " + out).code, 2);
  EXPECT_EQ(run("reproduce table1 --seeds 0 --out " + out).code, 2);
}

TEST(Cli, ARunGoesOnInRealityWithinItsBudget) {
  const TemporaryFolder folder;
  const std::string dreamed = (folder.path() / "dreamed").string();
  const std::string branch = (folder.path() / "branch").string();
  const Ran first = run("quickstart --out " + dreamed + " " + kTiny + " --set arms=start,dream");
  ASSERT_EQ(first.code, 0) << first.errors;
  const Ran agreement = run("eval agreement --run " + dreamed + " --episodes 4");
  ASSERT_EQ(agreement.code, 0) << agreement.errors;
  EXPECT_NE(agreement.out.find("mean absolute gap"), std::string::npos) << agreement.out;
  EXPECT_TRUE(std::filesystem::exists(dreamed + "/agreement.json"));
  const Ran nobody = run("eval agreement --run " + dreamed + " --policies nobody");
  EXPECT_EQ(nobody.code, 1);
  EXPECT_NE(nobody.errors.find("no policy"), std::string::npos) << nobody.errors;
  const Ran none = run("train --from " + dreamed + " --budget-steps 0 --run " + branch);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.errors.find("--budget-steps 0"), std::string::npos) << none.errors;
  const Ran real = run("train --from " + dreamed + " --budget-steps 150 --dream-share 0.5 --json --run " + branch);
  ASSERT_EQ(real.code, 0) << real.errors;
  bool found = false;
  for (const auto& line : lines(real.out)) {
    if (line.at("kind") == "arm" && line.at("arm") == "s2r") {
      found = true;
      EXPECT_GT(line.at("real_steps"), 0);
      EXPECT_LE(line.at("real_steps"), 150);
    }
  }
  EXPECT_TRUE(found) << real.out;
  const Ran other = run("train --from " + dreamed + " --budget-steps 90 --run " + branch);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.errors.find("s2r.step_budget: 150 -> 90"), std::string::npos) << other.errors;
  EXPECT_NE(other.errors.find("--force"), std::string::npos) << other.errors;
}

TEST(Cli, AnExperienceModelIsTaughtAgainWithNewEpisodes) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const std::string logs = (folder.path() / "new.jsonl").string();
  ASSERT_EQ(run("quickstart --out " + out + " " + kTiny + " --set arms=start").code, 0);
  const std::string before = read_file(out + "/models/experience/model.safetensors");
  ASSERT_EQ(run("collect alfworld --policy noisy --episodes 12 --seed 9 --out " + logs).code, 0);
  const Ran again = run("sft " + logs + " --continue " + out + " --epochs 0.5");
  ASSERT_EQ(again.code, 0) << again.errors;
  EXPECT_NE(again.out.find("before"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("predictable_observation_exact"), std::string::npos) << again.out;
  EXPECT_EQ(read_file(out + "/models/experience_before/model.safetensors"), before);
  EXPECT_NE(read_file(out + "/models/experience/model.safetensors"), before);
  EXPECT_EQ(run("index verify " + out + "/experience.sqlite").code, 0);
  EXPECT_EQ(run("sft " + logs + " --continue " + out + " --kind policy").code, 2);
  EXPECT_EQ(run("sft " + logs).code, 2);
  const std::string other = (folder.path() / "toy.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 4 --out " + other).code, 0);
  const Ran wrong = run("sft " + other + " --continue " + out);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.errors.find("of the world \"toy\", the run of \"alfworld\""), std::string::npos) << wrong.errors;
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

  // A dream without its memory is another dream: it is refused, and a resumed run gets the memory back.
  const std::string out = (folder.path() / "run").string();
  write_file(folder.path() / "script", "look\n");
  const std::string play = "play dream:" + out + " --script " + (folder.path() / "script").string();
  EXPECT_EQ(run(play).code, 0);
  std::filesystem::remove(folder.path() / "run" / "experience.sqlite");
  const Ran lost = run(play);
  EXPECT_EQ(lost.code, 1);
  EXPECT_NE(lost.errors.find("--resume"), std::string::npos) << lost.errors;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run" / "experience.sqlite"));
  const Ran back = run("train --resume --run " + out);
  EXPECT_EQ(back.code, 0) << back.errors;
  EXPECT_NE(back.errors.find("are in it again"), std::string::npos) << back.errors;
  EXPECT_EQ(run(play).code, 0);
}

}  // namespace
}  // namespace dreamgym
