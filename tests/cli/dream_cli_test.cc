// The doors of the dream: training in an endpoint's, judging, the ablations, the store and the embedders.

#include <gtest/gtest.h>

#include <filesystem>

#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "tests/cli/ran.h"
#include "tests/fault_server.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

const std::string kTiny =
    "--set base.model= --set base.preset=nano-s --set data.demonstrations=10 --set start_sft.epochs=1 "
    "--set dream.iterations=2 --set dream.tasks_per_iteration=2 --set dream.group_size=2 --set check.tasks=4 "
    "--set check.force=true --set evaluation.fidelity_episodes=2 --set evaluation.luck_replays=2 --set max_steps=6 "
    "--set data.held_out_share=0.3 --set arms=start,dream ";

// A language model that dreams some tool, varies tasks and judges; every tenth request fails, some answers are no JSON.
FaultReply any_model(const FaultRequest& request) {
  const Json body = Json::parse(request.body);
  const std::string rules = body["messages"][0]["content"];
  const std::uint64_t lot = Rng(5).fork("fault", request.number).below(20);
  if (lot < 2) {
    return {.status = 503, .body = R"({"error": {"message": "busy"}})"};
  }
  if (lot == 2) {
    return {.body = chat_answer("I would rather not.")};
  }
  Json answer;
  if (rules.find("You judge") != std::string::npos) {
    answer = {{"reason", "Fine."}, {"consistency", 1}, {"diversity", 2}, {"informativeness", 1}, {"hallucination", 2}};
  } else if (rules.find("\"tasks\"") != std::string::npos) {
    const std::string asked = body["messages"][1]["content"];
    const std::size_t at = asked.find("\nTask: ") + 7;
    const std::string task = asked.substr(at, asked.find('\n', at) - at);
    answer = {{"tasks", {task, "The " + task, task + " twice"}}};
  } else if (rules.find("\"selection\"") != std::string::npos) {
    answer = {{"selection", 1}, {"reasoning", "It is the first."}};
  } else {
    const bool won = Rng(6).fork("end", request.number).below(4) == 0;
    answer = {{"why", "Because."}, {"effect", "done"}, {"at", ""}, {"hold", ""}, {"here", ""}, {"wanted", "it is done"},
              {"reached", won ? "it is done" : "not yet"}, {"next_state", "Something happened."}, {"done", won}, {"success", won}};
  }
  return {.body = chat_answer(answer.dump())};
}

TEST(DreamCli, TrainsInTheDreamOfAnEndpointWithoutAnExperienceModel) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  const std::string out = (folder.path() / "run").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 30 --out " + logs).code, 0);
  write_file(folder.path() / "tool.md", "A room with things.\n");
  FaultServer server(any_model);
  const Path config = folder.path() / "endpoint.toml";
  write_file(config,
             "world = \"none\"\n[data]\nlogs = [\"" + logs + "\"]\n[experience.endpoint]\nurls = [\"" + server.url() +
                 "\"]\nmodel = \"m\"\nkey_variable = \"\"\nfirst_backoff_seconds = 0.01\ndescription = \"" +
                 (folder.path() / "tool.md").string() + "\"\n");
  const std::string command = "train " + config.string() + " --run " + out + " " + kTiny;
  const Ran ran = run(command);
  ASSERT_EQ(ran.code, 0) << ran.errors;
  EXPECT_GT(server.num_requests(), 50U);
  EXPECT_FALSE(std::filesystem::exists(out + "/models/experience"));
  EXPECT_TRUE(std::filesystem::exists(out + "/models/dream"));
  EXPECT_NE(read_file(out + "/config.toml").find("policies_from = \"base\""), std::string::npos);
  const std::string metrics = read_file(out + "/metrics.jsonl");
  EXPECT_NE(metrics.find("dream/endpoint_faults"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("dream/proposed_tasks"), std::string::npos);
  EXPECT_NE(read_file(out + "/episodes.jsonl").find("m@http://"), std::string::npos) << "who dreamed is kept";
  const std::size_t asked = server.num_requests();
  const Ran again = run(command + " --resume");
  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_EQ(server.num_requests(), asked) << "what is done is not done again";

  const std::string judge = "eval judge --run " + out + " --episodes 2 --judge " + server.url() + " --judge-model m --key-variable \"\"";
  const Ran judged = run(judge + " --json");
  ASSERT_EQ(judged.code, 0) << judged.errors;
  const auto steps = lines(judged.out);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps[0]["consistency"], 1);
  EXPECT_EQ(steps[0]["rubric"], "dreamgym-rubric-1");
  const Ran table = run(judge);
  EXPECT_NE(table.out.find("informativeness"), std::string::npos) << table.out;
  EXPECT_EQ(run("eval judge --run " + out).code, 2) << "without an engine and a model nobody can judge";
}

TEST(DreamCli, SaysWhatIsWrongWithAnEndpointsConfiguration) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 5 --out " + logs).code, 0);
  const Path config = folder.path() / "none.toml";
  write_file(config, "world = \"none\"\n[data]\nlogs = [\"" + logs + "\"]\n");
  const std::string train = "train " + config.string() + " --run " + (folder.path() / "run").string() + " ";
  for (const auto& [settings, named] : std::vector<std::pair<std::string, std::string>>{
           {"--set experience.endpoint.urls=http://localhost:9/v1", "experience.endpoint.model"},
           {"--set experience.endpoint.urls=http://localhost:9/v1 --set experience.endpoint.model=m --set policies_from=experience",
            "policies_from"},
           {"--set experience.endpoint.urls=http://localhost:9/v1 --set experience.endpoint.model=m --set experience.endpoint.description=/nowhere/tool.md",
            "/nowhere/tool.md"},
           {"--set experience.fallback.ask=endpoint", "experience.endpoint.urls"},
           {"--set experience.fallback.ask=reality", "has no engine"},
           {"--set replay.embedder=encoder", "replay.encoder"}}) {
    const Ran ran = run(train + settings);
    EXPECT_EQ(ran.code, 2) << settings << ran.errors;
    EXPECT_NE(ran.errors.find(named), std::string::npos) << ran.errors;
  }
  EXPECT_EQ(run("annotate " + logs + " --traces wrong --out x").code, 2);
  EXPECT_EQ(run("annotate " + logs + " --traces plan --out x").code, 2);
  const Ran url = run("annotate " + logs + " --teacher localhost:8000 --teacher-model m --out x");
  EXPECT_EQ(url.code, 2);
  EXPECT_NE(url.errors.find("http://"), std::string::npos) << url.errors;
}

TEST(DreamCli, RefusesLogsOfTwoWorldsAndOfAnother) {
  const TemporaryFolder folder;
  const std::string toy = (folder.path() / "toy.jsonl").string();
  const std::string house = (folder.path() / "house.jsonl").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 3 --out " + toy).code, 0);
  ASSERT_EQ(run("collect alfworld --policy expert --episodes 2 --out " + house).code, 0);
  const Path config = folder.path() / "two.toml";
  write_file(config, "world = \"none\"\n[data]\nlogs = [\"" + toy + "\", \"" + house + "\"]\n");
  const std::string out = (folder.path() / "run").string();
  const Ran two = run("train " + config.string() + " --run " + out + " " + kTiny);
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.errors.find("of 2 worlds: alfworld, toy"), std::string::npos) << two.errors;
  const Ran other = run("train " + config.string() + " --run " + out + " " + kTiny + " --set world=alfworld --set data.logs=" + toy);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.errors.find("of the world \"toy\", the run of \"alfworld\""), std::string::npos) << other.errors;
}

TEST(DreamCli, RunsTheComponentsCellByCell) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "components").string();
  const std::string command = "reproduce components --world alfworld --scale tiny --seeds 1 --judged 3 --out " + out;
  const Ran first = run(command + " --arms full,no_replay");
  ASSERT_EQ(first.code, 0) << first.errors;
  EXPECT_NE(first.out.find("Full DreamGym"), std::string::npos);
  EXPECT_NE(first.out.find("63.9 / 13.3"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("not run"), std::string::npos) << "the other arms";
  EXPECT_TRUE(std::filesystem::exists(out + "/no_replay/seed-1/report.html"));
  EXPECT_TRUE(std::filesystem::exists(out + "/full/seed-1/judge/judgements.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(out + "/components.html"));
  const Ran more = run(command + " --arms full,no_replay,no_history,data_25");
  ASSERT_EQ(more.code, 0) << more.errors;
  EXPECT_NE(more.out.find("Without history"), std::string::npos);
  EXPECT_EQ(run(command + " --arms nothing").code, 2);
}

TEST(DreamCli, AsksRealityWhereTheDreamIsUnsureWithinItsBudget) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const Ran ran = run("quickstart --out " + out + " " + kTiny +
                      " --set data.collect_episodes=40 --set data.train_tasks=20 --set data.eval_tasks=6 --set experience_sft.epochs=0.3 "
                      "--set experience.fallback.ask=reality --set experience.fallback.below=1 "
                      "--set experience.fallback.ask_about_hidden=true --set experience.fallback.budget=30");
  ASSERT_EQ(ran.code, 0) << ran.errors;
  const Json stages = Json::parse(read_file(out + "/progress.json"));
  const std::string all = stages.dump();
  EXPECT_NE(all.find("fallback_real_steps"), std::string::npos) << all;
  const std::string metrics = read_file(out + "/metrics.jsonl");
  EXPECT_NE(metrics.find("dream/fallback_asked"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out + "/tasks.jsonl") || metrics.find("curriculum/solvable_share") == std::string::npos);
}

TEST(DreamCli, SavesWhatCanBeReadOfADamagedStoreAndReportsWithoutIt) {
  const TemporaryFolder folder;
  const std::string logs = (folder.path() / "logs.jsonl").string();
  const std::string store = (folder.path() / "a.sqlite").string();
  ASSERT_EQ(run("collect toy --policy noisy --episodes 60 --out " + logs).code, 0);
  ASSERT_EQ(run("index build " + store + " " + logs).code, 0);
  const Ran whole = run("index recover " + store + " --out " + (folder.path() / "b.sqlite").string());
  EXPECT_EQ(whole.code, 0) << whole.errors;
  EXPECT_NE(whole.out.find("0 places that can't be read"), std::string::npos) << whole.out;
  EXPECT_EQ(run("index verify " + (folder.path() / "b.sqlite").string()).code, 0);
  EXPECT_EQ(run("index recover " + store + " --out " + store).code, 2);
}

}  // namespace
}  // namespace dreamgym
