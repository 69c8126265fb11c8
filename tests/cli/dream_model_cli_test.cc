// A pretrained chat model that dreams where it runs: the loop on it, the doors that open such a run, a run that is killed.
#include <gtest/gtest.h>

#include <csignal>

#include <chrono>
#include <thread>

#include "tests/chat_checkpoint.h"
#include "tests/cli/ran.h"
#include "tests/slow/small_run.h"

namespace dreamgym {
namespace {

// Training in the dream of a random chat model, which ends an episode every few steps.
class ModelDreamCli : public ::testing::Test {
 protected:
  void SetUp() override {
    DREAMGYM_NEEDS_FILE(language_model_data());
    write_chat_checkpoint(folder_.path() / "chat");
    ASSERT_EQ(run("collect toy --policy noisy --episodes 20 --out " + logs()).code, 0);
    write_file(folder_.path() / "tool.md", "A room with things.\n");
    write_file(folder_.path() / "dream.toml",
               "world = \"none\"\n[data]\nlogs = [\"" + logs() + "\"]\n[experience.model]\npath = \"" +
                   (folder_.path() / "chat").string() + "\"\ndescription = \"" +
                   (folder_.path() / "tool.md").string() +
                   "\"\nmax_reply_tokens = 24\nmax_field_characters = 6\nmax_state_characters = 12\n");
  }

  std::string logs() const { return (folder_.path() / "logs.jsonl").string(); }
  Path out(const std::string& name) const { return folder_.path() / name; }
  std::string train(const Path& run) const {
    return "train " + (folder_.path() / "dream.toml").string() + " --run " + run.string() +
           " --set threads=1 --set base.model= --set base.preset=nano-s --set data.demonstrations=6"
           " --set start_sft.epochs=1 --set dream.iterations=3 --set dream.tasks_per_iteration=2"
           " --set dream.group_size=2 --set check.tasks=3 --set check.force=true --set evaluation.fidelity_episodes=1"
           " --set evaluation.luck_replays=2 --set max_steps=4 --set data.held_out_share=0.3 --set arms=start,dream"
           " --set experience.num_demonstrations=1 --set task_generator.candidates=2";
  }

  TemporaryFolder folder_;
};

TEST_F(ModelDreamCli, TrainsAndOpensItsDoors) {
  const std::string at = out("run").string();
  const Ran ran = run(train(at));
  ASSERT_EQ(ran.code, 0) << ran.errors;
  EXPECT_FALSE(std::filesystem::exists(at + "/models/experience"));
  EXPECT_TRUE(std::filesystem::exists(at + "/models/dream"));
  EXPECT_NE(read_file(at + "/config.toml").find("policies_from = \"base\""), std::string::npos);
  const std::string metrics = read_file(at + "/metrics.jsonl");
  EXPECT_NE(metrics.find("dream/completion_tokens"), std::string::npos);
  EXPECT_NE(metrics.find("dream/proposed_tasks"), std::string::npos) << "the same model varies tasks";
  EXPECT_EQ(metrics.find("dream/read_tokens"), std::string::npos);
  write_file(folder_.path() / "script", "look\nlook\n");
  const Ran played = run("play dream:" + at + " --json --script " + (folder_.path() / "script").string());
  ASSERT_EQ(played.code, 0) << played.errors;
  EXPECT_GE(lines(played.out).size(), 2U);
  const Ran measured = run("eval experience --run " + at + " --episodes 1 --threads 1 --json");
  ASSERT_EQ(measured.code, 0) << measured.errors;
  EXPECT_EQ(lines(measured.out).at(0)["unparsable_share"], 0) << "a reply is held to its form";
}

TEST_F(ModelDreamCli, AKilledRunEndsLikeAnUninterruptedOne) {
  const Path straight = out("straight");
  ASSERT_EQ(run(train(straight)).code, 0);
  const Path killed = out("killed");
  std::vector<std::string> command = words(train(killed));
  command.insert(command.begin(), DREAMGYM_BINARY);
  const pid_t child = start(command);
  int status = 0;
  bool ended = false;
  while (!ended && !std::filesystem::exists(killed / "checkpoints" / "dream")) {
    ended = waitpid(child, &status, WNOHANG) == child;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_FALSE(ended) << "it was to be killed in its dream";
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  const Ran resumed = run(train(killed) + " --resume");
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  for (const char* model : {"start", "dream"}) {
    const std::string file = std::string("models/") + model + "/model.safetensors";
    EXPECT_EQ(read_file(killed / file), read_file(straight / file)) << model;
  }
  EXPECT_EQ(read_file(killed / "episodes.jsonl"), read_file(straight / "episodes.jsonl"));
  EXPECT_EQ(timeless_metrics(killed), timeless_metrics(straight));
}

TEST_F(ModelDreamCli, SaysWhatIsWrongBeforeItBegins) {
  for (const auto& [settings, named] : std::vector<std::pair<std::string, std::string>>{
           {" --set experience.model.path=/nowhere/model.gguf", "experience.model.path: there is no file"},
           {" --set experience.model.description=/nowhere/tool.md", "experience.model.description"},
           {" --set experience.model.chat_template=vicuna", "vicuna"},
           {" --set experience.endpoint.urls=http://localhost:9/v1 --set experience.endpoint.model=m", "only one"}}) {
    const Ran ran = run(train(out("wrong")) + settings);
    EXPECT_NE(ran.code, 0) << settings;
    EXPECT_NE(ran.errors.find(named), std::string::npos) << ran.errors;
  }
  EXPECT_EQ(run("doctor plan " + (folder_.path() / "dream.toml").string() + " --set base.model= --set base.preset=nano-s").code, 0);
}

}  // namespace
}  // namespace dreamgym
