#include "dreamgym/config/toml_binding.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/config/experiment_config.h"

namespace dreamgym {
namespace {

struct Inner {
  double rate = 0.5;
};
struct Outer {
  std::size_t count = 3;
  bool on = false;
  std::string name = "a";
  std::vector<std::string> list;
  std::map<std::string, std::string> free;
  Inner inner;
};

template <class Field>
void visit_fields(Inner& inner, Field&& field) {
  field("rate", inner.rate, "a rate", between(0, 1));
}

template <class Field>
void visit_fields(Outer& outer, Field&& field) {
  field("count", outer.count, "a count", at_least(2));
  field("on", outer.on, "a switch");
  field("name", outer.name, "a name");
  field("list", outer.list, "names");
  field("free", outer.free, "anything");
  field.section("inner", outer.inner);
}

Outer parse(const std::string& text, const std::vector<std::string>& assignments = {}) {
  ConfigValues values = ConfigValues::from_text(text, "file.toml");
  for (const std::string& assignment : assignments) {
    values.set(assignment);
  }
  Outer outer;
  bind(outer, values);
  return outer;
}

std::string message_of(const std::string& text, const std::vector<std::string>& assignments = {}) {
  try {
    (void)parse(text, assignments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    return error.what();
  }
  return "no error";
}

TEST(TomlBinding, FileOverridesDefaultsAndSetOverridesTheFile) {
  const Outer outer = parse("count = 5\non = true\nlist = [\"x\", \"y\"]\n[inner]\nrate = 0.25\n[free]\nk = 8\n",
                            {"count=7", "name=b c", "free.other=z"});
  EXPECT_EQ(outer.count, 7U);
  EXPECT_TRUE(outer.on);
  EXPECT_EQ(outer.name, "b c");
  EXPECT_EQ(outer.list, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(outer.inner.rate, 0.25);
  EXPECT_EQ(outer.free, (std::map<std::string, std::string>{{"k", "8"}, {"other", "z"}}));
  EXPECT_EQ(parse("", {"list=x, y"}).list, (std::vector<std::string>{"x", "y"}));
}

TEST(TomlBinding, NamesTheUnknownKeyAndTheNearest) {
  const std::string message = message_of("[inner]\nrat = 0.1\n");
  EXPECT_NE(message.find("file.toml:2"), std::string::npos) << message;
  EXPECT_NE(message.find("'inner.rat'"), std::string::npos) << message;
  EXPECT_NE(message.find("'inner.rate'"), std::string::npos) << message;
}

TEST(TomlBinding, NamesKeyRangeAndOrigin) {
  EXPECT_NE(message_of("count = 1").find("at least 2"), std::string::npos);
  EXPECT_NE(message_of("[inner]\nrate = 1.5").find("in [0, 1]"), std::string::npos);
  EXPECT_NE(message_of("", {"inner.rate=fast"}).find("--set"), std::string::npos);
  EXPECT_NE(message_of("on = 3").find("true or false"), std::string::npos);
  EXPECT_NE(message_of("count = 2.5").find("whole number"), std::string::npos);
  EXPECT_NE(message_of("count = -4").find("at least 2"), std::string::npos);
  EXPECT_NE(message_of("[inner]\nrate = nan").find("in [0, 1]"), std::string::npos);
}

TEST(TomlBinding, SaysWhereTheFileIsNoToml) {
  EXPECT_NE(message_of("count = = 3").find("file.toml:1"), std::string::npos);
  EXPECT_NE(message_of("", {"nothing"}).find("section.key=value"), std::string::npos);
}

TEST(TomlBinding, WhatItWritesReadsBackTheSame) {
  Outer outer;
  outer.count = 12;
  outer.name = "quo\"te\\ and\nline";
  outer.list = {"a", "b"};
  outer.free = {{"receptacles", "8"}};
  outer.inner.rate = 0.1;
  const Outer again = parse(to_toml(outer));
  EXPECT_EQ(again.count, outer.count);
  EXPECT_EQ(again.name, outer.name);
  EXPECT_EQ(again.list, outer.list);
  EXPECT_EQ(again.free, outer.free);
  EXPECT_EQ(again.inner.rate, outer.inner.rate);
}

TEST(ExperimentConfig, ResolvedCopyReadsBackTheSame) {
  const ExperimentConfig config = load_experiment("", {"dream.loss.kl_coefficient=0.01", "seed=9"});
  ConfigValues values = ConfigValues::from_text(experiment_toml(config), "copy");
  ExperimentConfig again = default_experiment();
  bind_experiment(again, values);
  EXPECT_EQ(experiment_toml(again), experiment_toml(config));
}

TEST(ExperimentConfig, RefusesUnknownArmsAndAMissingEngineWithoutLogs) {
  EXPECT_THROW((void)load_experiment("", {"arms=start,drem"}), Error);
  EXPECT_THROW((void)load_experiment("", {"world=none"}), Error);
}

TEST(ExperimentConfig, MaxStepsReachesEveryTrainer) {
  const ExperimentConfig config = load_experiment("", {"max_steps=17"});
  EXPECT_EQ(config.dream.max_steps, 17U);
  EXPECT_EQ(config.traditional.max_steps, 17U);
  EXPECT_EQ(config.s2r.max_steps, 17U);
}

std::string refusal(const std::vector<std::string>& assignments) {
  try {
    (void)load_experiment("", assignments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConfig);
    return error.what();
  }
  return "no error";
}

TEST(ExperimentConfig, AnAlgorithmSetsWhatItsNameStandsForAndKeysOverrideIt) {
  const ExperimentConfig config = load_experiment(
      "", {"dream.algorithm=gspo", "dream.loss.clip_high=0.001", "traditional.algorithm=ppo"});
  EXPECT_EQ(config.dream.objective.surrogate, PolicySurrogate::kGspo);
  EXPECT_EQ(config.dream.objective.loss.clip_low, 3e-4);
  EXPECT_EQ(config.dream.objective.loss.clip_high, 0.001);
  EXPECT_EQ(config.dream.advantages.step_weight, 0.0);
  EXPECT_EQ(config.traditional.group_size, 1U);
  EXPECT_EQ(config.traditional.tasks_per_iteration, 24U * 8U);
  EXPECT_EQ(config.s2r.algorithm, "gigpo");
  ExperimentConfig again = default_experiment();
  bind_experiment(again, ConfigValues::from_text(experiment_toml(config), "copy"));
  EXPECT_EQ(experiment_toml(again), experiment_toml(config));
}

TEST(ExperimentConfig, APresetBringsItsDreamAndDependsOnTheWorld) {
  const ExperimentConfig config = load_experiment(
      "", {"world=webshop", "dream.preset=dreamgym", "s2r.preset=s2r", "s2r.step_budget=700"});
  EXPECT_EQ(config.dream.optimizer.learning_rate, 1e-6);
  EXPECT_EQ(config.dream.mini_batch_steps, 64U);
  EXPECT_EQ(config.experience.num_demonstrations, 5U);
  EXPECT_EQ(config.curriculum.generated_share, 0.3);
  EXPECT_EQ(config.s2r.optimizer.learning_rate, 5e-7);
  EXPECT_EQ(config.s2r.step_budget, 700U);
}

TEST(ExperimentConfig, TheWindowIsTheRunsAndReachesEveryTrainer) {
  EXPECT_EQ(load_experiment("", {}).dream.history_steps, kWholeEpisode);
  const ExperimentConfig preset = load_experiment("", {"dream.preset=verl-agent"});
  EXPECT_EQ(preset.agent.history_steps, 2U);
  EXPECT_EQ(preset.s2r.history_steps, 2U);
  EXPECT_EQ(load_experiment("", {"dream.preset=verl-agent", "agent.history_steps=5"}).dream.history_steps, 5U);
  EXPECT_NE(refusal({"arms=start,dpo", "agent.history_steps=2"}).find("dpo compares whole episodes"),
            std::string::npos);
}

TEST(ExperimentConfig, NamesWhatAStageCantBe) {
  EXPECT_NE(refusal({"dream.algorithm=grop"}).find("the nearest is 'grpo'"), std::string::npos);
  EXPECT_NE(refusal({"dream.preset=verl"}).find("verl-agent, dreamgym, s2r"), std::string::npos);
  EXPECT_NE(refusal({"dream.group_size=1"}).find("expected at least 2"), std::string::npos);
  EXPECT_NE(refusal({"dream.loss.surrogate=clip"}).find("expected one of clipped, gspo, cispo"),
            std::string::npos);
  EXPECT_NE(refusal({"s2r.overlap=true"}).find("mismatch_correction"), std::string::npos);
  EXPECT_NE(refusal({"dream.dream_share=0.5"}).find("in the dream altogether"), std::string::npos);
  EXPECT_NE(refusal({"dream.guards.spike_ratio=0.5"}).find("dream.guards.spike_ratio: got 0.5, expected 0 or"),
            std::string::npos);
  EXPECT_EQ(refusal({"dream.algorithm=ppo"}), "no error");
}

}  // namespace
}  // namespace dreamgym
