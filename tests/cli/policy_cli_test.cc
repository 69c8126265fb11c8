// A pretrained chat model as the policy: played as it is, and through the whole loop.
#include <gtest/gtest.h>

#include "tests/chat_checkpoint.h"
#include "tests/cli/ran.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

const std::string kTiny =
    "--set base.model= --set base.preset=nano-s --set data.collect_episodes=40 --set data.train_tasks=20 "
    "--set data.eval_tasks=4 --set data.demonstrations=10 --set experience_sft.epochs=0.3 "
    "--set start_sft.epochs=1 --set dream.iterations=1 --set dream.tasks_per_iteration=2 "
    "--set dream.group_size=2 --set check.tasks=4 --set check.force=true --set evaluation.fidelity_episodes=2 "
    "--set max_steps=8 --set data.held_out_share=0.3 --set evaluation.luck_replays=2 ";

std::string text_of(const Path& file) { return std::string(read_file(file)); }

TEST(PretrainedPolicy, IsPlayedAsItIs) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const Path model = folder.path() / "chat";
  write_chat_checkpoint(model);
  const Path episodes = folder.path() / "episodes.jsonl";
  const Ran played = run("eval policy --model " + model.string() +
                         " --world toy --episodes 3 --max-steps 4 --json --out " + episodes.string());
  ASSERT_EQ(played.code, 0) << played.errors;
  EXPECT_EQ(run("eval policy --model " + model.string() + " --world toy --episodes 2 --max-steps 3 --name-actions").code, 0);
  const Ran thinking = run("eval policy --model " + model.string() +
                           " --world toy --episodes 2 --max-steps 3 --max-thought-tokens 8");
  EXPECT_EQ(thinking.code, 0) << thinking.errors;
  const Ran examined = run("doctor model " + model.string());
  EXPECT_NE(examined.out.find("with thoughts (policy.thinks): only appends: ok"), std::string::npos) << examined.out;
  EXPECT_EQ(lines(played.out).at(0)["episodes"], 3);
  EXPECT_EQ(lines(text_of(episodes)).size(), 3U);
}

TEST(PretrainedPolicy, GoesThroughTheLoopWithAnAdapter) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const Path model = folder.path() / "chat";
  write_chat_checkpoint(model);
  const Path out = folder.path() / "run";
  const Ran ran = run("quickstart --out " + out.string() + " " + kTiny + " --set policy.model=" +
                      model.string() +
                      " --set policy.names_actions=true --set policy.thinks=true --set policy.max_thought_tokens=6 --set policy.lora_rank=4 --set policy.weights=bf16 --set policy.cache=bf16"
                      " --set dream.loss.kl_coefficient=0.01 --set arms=zero_shot,start,dream");
  ASSERT_EQ(ran.code, 0) << ran.errors;
  for (const char* name : {"zero_shot", "start", "dream"}) {
    const Path policy = out / "models" / name;
    EXPECT_EQ(Json::parse(text_of(policy / "config.json"))["model_type"], "llama") << name;
    EXPECT_EQ(Json::parse(text_of(policy / "agent.json"))["names_actions"], true) << name;
    EXPECT_EQ(Json::parse(text_of(policy / "agent.json"))["max_thought_tokens"], 6) << name;
  }
  EXPECT_EQ(Json::parse(text_of(out / "models/dream/adapter/adapter_config.json"))["r"], 4);
  EXPECT_EQ(Json::parse(text_of(out / "models/experience/config.json"))["model_type"], "dreamgym_nano");
  // What came out is a checkpoint like the one that went in.
  const Ran info = run("lm info --model " + (out / "models/dream").string());
  EXPECT_EQ(lines(info.out).at(0)["chat_template"], "smollm2") << info.errors;
  const Ran again = run("eval policy --run " + out.string() + " --model dream --episodes 2 --max-steps 3 --json");
  EXPECT_EQ(again.code, 0) << again.errors;
}

// Sampler and trainer hold the same int8 numbers, in every stage, and what a stage learnt is not rounded
// away by the next.
TEST(PretrainedPolicy, TrainsTheNumbersItSamplesFrom) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const Path model = folder.path() / "chat";
  write_chat_checkpoint(model);
  TransformerWeights peaked = load_weights(model.string());
  for (float& value : peaked.arrays.at("model.embed_tokens.weight").values) {
    value *= 20.0F;  // distributions that rounding moves
  }
  save_weights(peaked, model.string(), NumberType::kFloat32);
  const Path out = folder.path() / "run";
  const std::string settings =
      " --set policy.lora_rank=4 --set policy.weights=int8 --set policy.cache=int16"
      " --set experience.model.weights=int8 --set experience.model.cache=int16";
  const Ran ran = run("quickstart --out " + out.string() + " " + kTiny + " --set policy.model=" +
                      model.string() + settings + " --set arms=start,dream,s2r --set s2r.step_budget=64");
  ASSERT_EQ(ran.code, 0) << ran.errors;
  std::size_t measured = 0;
  for (const Json& line : lines(text_of(out / "metrics.jsonl"))) {
    if (line["values"].contains("train/mismatch_largest_nats")) {
      const double largest = line["values"]["train/mismatch_largest_nats"];
      EXPECT_LT(largest, 2e-2) << line;
      EXPECT_GT(largest, 0) << line;
      ++measured;
    }
  }
  EXPECT_GE(measured, 2U) << "in the dream and in reality";
  for (const char* name : {"start", "dream", "s2r"}) {
    EXPECT_EQ(Json::parse(text_of(out / "models" / name / "adapter/base.json"))["numbers"], "int8") << name;
  }
  const std::string dream = (out / "models/dream").string();
  const auto score = [&](const std::string& options) {
    const Ran scored = run("lm score --model " + dream + options, R"({"ids":[1,5,900,77,42,3,2,8]})");
    EXPECT_EQ(scored.code, 0) << scored.errors;
    return lines(scored.out).at(0)["logprobs"].get<std::vector<double>>();
  };
  const auto merged = score("");
  const auto narrow = score(" --weights int8");
  for (std::size_t i = 0; i < merged.size(); ++i) {
    EXPECT_NEAR(narrow[i], merged[i], 2e-3);
  }
  const Ran other = run("sft " + (out / "episodes.jsonl").string() + " --kind policy --base " + dream +
                        " --run " + (folder.path() / "sft").string() +
                        " --set policy.lora_rank=8 --set policy.weights=int8");
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.errors.find("rank 4"), std::string::npos) << other.errors;
}

TEST(PretrainedPolicy, IsNoExperienceModel) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const Path model = folder.path() / "chat";
  write_chat_checkpoint(model);
  const Ran ran = run("quickstart --out " + (folder.path() / "run").string() + " " + kTiny +
                      " --set base.model=" + model.string());
  EXPECT_NE(ran.code, 0);
  EXPECT_NE(ran.errors.find("policy.model"), std::string::npos) << ran.errors;
}

TEST(PretrainedPolicy, ItsSettingsAreChecked) {
  const Ran weights = run("doctor plan --set policy.weights=fp8");
  EXPECT_NE(weights.code, 0);
  EXPECT_NE(weights.errors.find("policy.weights"), std::string::npos) << weights.errors;
  const Ran format = run("doctor plan --set policy.chat_template=vicuna");
  EXPECT_NE(format.errors.find("vicuna"), std::string::npos) << format.errors;
  const Ran named = run("doctor plan --set policy.names_actions=true");
  EXPECT_NE(named.errors.find("policy.names_actions"), std::string::npos) << named.errors;
  const Ran thinks = run("doctor plan --set policy.thinks=true");
  EXPECT_NE(thinks.errors.find("policy.thinks"), std::string::npos) << thinks.errors;
}

}  // namespace
}  // namespace dreamgym
