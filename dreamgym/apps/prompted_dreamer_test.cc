// A pretrained chat model as a run's dream: here one of random weights, held to the form of a step.
#include "dreamgym/apps/prompted_dreamer.h"

#include <gtest/gtest.h>

#include "dreamgym/data/outcome.h"
#include "tests/chat_checkpoint.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

ExperimentConfig dreaming_with(const Path& model) {
  return load_experiment("",
                         {"experience.model.path=" + model.string(), "experience.num_demonstrations=0",
                          "experience.model.max_reply_tokens=40", "experience.model.max_field_characters=8",
                          "experience.model.max_state_characters=16", "world=none", "data.logs=logs.jsonl"});
}

std::vector<Task> desk_tasks(std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i) {
    tasks[i].id = std::to_string(i);
    tasks[i].world = "desk";
    tasks[i].instruction = "close ticket " + std::to_string(i);
    tasks[i].settings[task_settings::kFirstObservation] = "There is ticket " + std::to_string(i) + " (open).";
  }
  return tasks;
}

TEST(ModelDreamer, EveryAnswerOfARandomModelIsAStep) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  const ExperimentConfig config = dreaming_with(folder.path() / "chat");
  const auto dreamer = make_dreamer({config, {}, nullptr, 1});
  const auto tasks = desk_tasks(6);
  const std::vector<std::uint64_t> seeds(tasks.size(), 3);
  (void)dreamer->dream().reset(tasks, seeds);
  std::vector<std::size_t> slots = {0, 1, 2, 3, 4, 5};
  std::size_t steps = 0;
  for (int step = 0; step < 3; ++step) {
    const std::vector<Action> actions(slots.size(), "open it");
    const auto results = dreamer->dream().step(slots, actions);
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      EXPECT_FALSE(results[i].info.contains(transition_info::kInfrastructureError));
      EXPECT_FALSE(results[i].observation.text.empty());
      if (!results[i].terminated) {
        running.push_back(slots[i]);
      }
    }
    steps += slots.size();
    slots = running;
  }
  const auto measures = dreamer->measures();
  EXPECT_EQ(measures.at("asked_steps"), static_cast<double>(steps));
  EXPECT_EQ(measures.at("rejected_answers"), 0);
  EXPECT_GT(measures.at("reused_tokens"), measures.at("read_tokens")) << "an episode only appends";
  EXPECT_GT(measures.at("model_seconds"), 0);
  EXPECT_FALSE(dreamer->progress().contains("reused_tokens")) << "a resumed run counts the same";
  ASSERT_TRUE(dreamer->times());
}

TEST(ModelDreamer, AnEpisodeThatOutgrowsTheModelIsNobodysFailure) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  const ExperimentConfig config = dreaming_with(folder.path() / "chat");
  const auto dreamer = make_dreamer({config, {}, nullptr, 1});
  auto tasks = desk_tasks(1);
  for (int i = 0; i < 2500; ++i) {
    tasks[0].settings[task_settings::kFirstObservation] += " drawer";
  }
  const std::uint64_t seed = 1;
  (void)dreamer->dream().reset(tasks, std::span(&seed, 1));
  const std::size_t slot = 0;
  const Action action = "open it";
  const auto result = dreamer->dream().step(std::span(&slot, 1), std::span(&action, 1)).front();
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.reward, 0);
  EXPECT_NE(result.info.at(transition_info::kInfrastructureError).find("2048"), std::string::npos);
}

TEST(ModelDreamer, ItsConfigurationIsChecked) {
  const auto said = [](std::vector<std::string> settings) {
    settings.push_back("world=toy");
    return message_of([&] { (void)load_experiment("", settings); });
  };
  EXPECT_NE(said({"experience.model.path=m", "experience.endpoint.urls=http://h/v1", "experience.endpoint.model=m"})
                .find("only one can dream"),
            std::string::npos);
  EXPECT_NE(said({"experience.model.path=m", "policies_from=experience"}).find("experience.model dreams"),
            std::string::npos);
  EXPECT_NE(said({"experience.model.path=m", "experience.reward_by_rule=true"}).find("reward_by_rule"),
            std::string::npos);
  EXPECT_NE(said({"experience.model.chat_template=vicuna"}).find("vicuna"), std::string::npos);
  EXPECT_NE(said({"experience.model.weights=fp8"}).find("experience.model.weights"), std::string::npos);
  const ExperimentConfig both = load_experiment(
      "", {"world=toy", "experience.model.path=m", "experience.endpoint.urls=http://h/v1",
           "experience.endpoint.model=m", "experience.fallback.ask=endpoint", "experience.endpoint.logprobs=true"});
  EXPECT_EQ(dream_source(both), DreamSource::kModel) << "the server is asked where the model is unsure";
  EXPECT_EQ(both.policies_from, "base");
  EXPECT_EQ(both.experience.num_demonstrations, 4U);
}

TEST(ModelDreamer, SaysWhichModelCannotDream) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const auto said = [](const Path& model) {
    return message_of([&] { (void)require_prompted_dream(dreaming_with(model)); });
  };
  EXPECT_NE(said("/nowhere/model.gguf").find("experience.model.path: there is no file or folder /nowhere/model.gguf"),
            std::string::npos)
      << said("/nowhere/model.gguf");
  const std::string own = said(Path(DREAMGYM_SOURCE_DIR) / "models/nano");
  EXPECT_NE(own.find("no chat format"), std::string::npos) << own;
}

}  // namespace
}  // namespace dreamgym
