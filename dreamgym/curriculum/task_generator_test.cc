#include "dreamgym/curriculum/task_generator.h"

#include <gtest/gtest.h>

#include "dreamgym/llm/scripted_model.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

Task task_in(const std::string& id, const std::string& instruction, const std::string& place) {
  Task task;
  task.id = id;
  task.instruction = instruction;
  task.settings[task_settings::kFirstObservation] = place;
  return task;
}

const std::string kKitchen = "You see a desk 1, a shelf 1, and a fridge 1.";
const std::string kBedroom = "You see a bed 1, and a shelf 2.";

std::vector<Task> known_tasks() {
  return {task_in("a", "put a hot mug in desk.", kKitchen),
          task_in("b", "put a hot apple in shelf.", kKitchen),
          task_in("c", "examine the pen with the lamp.", kBedroom)};
}

TaskGrammar grammar() {
  return {known_tasks(), {"mug", "apple", "pen", "lamp", "desk", "shelf", "bed", "fridge"}};
}

TEST(TaskGrammar, AcceptsKnownWordingWithOtherNames) {
  EXPECT_TRUE(grammar().validate("put a hot pen in fridge.", known_tasks()[0]).has_value());
  EXPECT_TRUE(grammar().validate("examine the mug with the lamp.", known_tasks()[0]).has_value());
}

TEST(TaskGrammar, RefusesUnknownWordingAndPlacesThatAreNotThere) {
  EXPECT_FALSE(grammar().validate("eat a hot mug in desk.", known_tasks()[0]).has_value());
  EXPECT_FALSE(grammar().validate("put a hot mug in desk", known_tasks()[0]).has_value());
  EXPECT_FALSE(grammar().validate("put a hot mug in bed.", known_tasks()[0]).has_value());
  EXPECT_FALSE(grammar().validate("", known_tasks()[0]).has_value());
}

TEST(TaskGrammar, RefusesWhatNobodyHasSeenInAPlaceOneKnows) {
  Trajectory story;
  story.task = known_tasks()[0];
  story.steps.resize(2);
  story.steps[0].observation.text = kKitchen;
  story.steps[1].observation.text = "On the shelf 1, you see an apple 2.";
  story.steps[1].next_observation.text = "The fridge 1 is open. In it, you see a pen 1.";
  const std::vector<std::string> names = {"mug", "apple", "pen", "lamp", "desk", "shelf", "bed", "fridge"};
  const TaskGrammar grammar(known_tasks(), names, std::span(&story, 1));
  EXPECT_TRUE(grammar.validate("put a hot apple in desk.", known_tasks()[0]).has_value());
  EXPECT_TRUE(grammar.validate("put a hot pen in fridge.", known_tasks()[0]).has_value());
  const auto refused = grammar.validate("put a hot lamp in desk.", known_tasks()[0]);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), "nobody has seen a lamp here");
  EXPECT_EQ(grammar.validate("put a hot pen in bed.", known_tasks()[2]).error(), "nobody has been here");
}

TEST(TaskGrammar, ClosesASlotThatHasStoppedBringingNewNames) {
  const std::vector<std::string> names = {"mug", "apple", "pen", "desk", "shelf", "fridge"};
  std::vector<Task> tasks;
  for (int i = 0; i < 20; ++i) {
    tasks.push_back(task_in("t", i % 2 == 0 ? "put a hot mug in desk." : "put a hot apple in desk.", kKitchen));
  }
  EXPECT_FALSE(TaskGrammar(tasks, names).validate("put a hot pen in desk.", tasks[0]).has_value());
  EXPECT_TRUE(TaskGrammar(tasks, names).validate("put a hot apple in desk.", tasks[0]).has_value());
  tasks.resize(19);  // too few to tell
  EXPECT_TRUE(TaskGrammar(tasks, names).validate("put a hot pen in desk.", tasks[0]).has_value());
  tasks.push_back(task_in("t", "put a hot fridge in desk.", kKitchen));  // one in twenty is new
  EXPECT_TRUE(TaskGrammar(tasks, names).validate("put a hot pen in desk.", tasks[0]).has_value());
}

TEST(TaskGenerator, KeepsValidVariationsOnly) {
  const auto tokenizer = test_tokenizer({kKitchen, kBedroom, "put a hot mug in desk."});
  ScriptedModel model(tokenizer,
                      {"put a hot pen in shelf.<|end|>",       // new
                       "put a hot mug in desk.<|end|>",        // the seed itself
                       "put a hot mug in bed.<|end|>",         // no bed in the kitchen
                       "fly away<|end|>"});
  TaskGenerator generator(
      model, tokenizer, grammar_revision(grammar()), {.proposals_per_seed = 4});
  const std::vector<Task> seeds = {known_tasks()[0]};
  const auto varied = generator.vary(seeds, Rng(1));
  ASSERT_EQ(varied.size(), 1U);
  EXPECT_EQ(varied[0].instruction, "put a hot pen in shelf.");
  EXPECT_EQ(varied[0].parent_task, "a");
  EXPECT_NE(varied[0].id, "a");
  EXPECT_EQ(varied[0].settings.at(task_settings::kFirstObservation), kKitchen);
  EXPECT_EQ(generator.counts().proposed, 4U);
  EXPECT_EQ(generator.counts().malformed, 2U);
  EXPECT_EQ(generator.counts().duplicates, 1U);
}

TEST(TaskGenerator, TakesTheRevisedTaskAndHidesTheSeedsOwnInstructionInItsPlace) {
  const Task seed = task_in("a", "buy shoes", "Shop. Instruction: buy shoes. Search");
  const auto tokenizer = test_tokenizer({"buy shoes", "buy boots", "Shop. Instruction: Search"});
  ScriptedModel model(tokenizer, {"buy boots<|end|>", "buy rockets<|end|>", "buy boots<|end|>"});
  TaskGenerator generator(
      model,
      tokenizer,
      [](const Task& from, const std::string& instruction) -> Expected<Task, std::string> {
        if (instruction == "buy rockets") {
          return Unexpected<std::string>("there are none");
        }
        Task task = from;
        task.instruction = instruction;
        task.settings = {{"goal", instruction},
                         {task_settings::kFirstObservation, "Shop. Instruction: buy boots. Search"}};
        return task;
      },
      {.proposals_per_seed = 3});
  const auto varied = generator.vary(std::vector<Task>{seed}, Rng(1));
  ASSERT_EQ(varied.size(), 1U);
  EXPECT_EQ(varied[0].settings.at("goal"), "buy boots");
  EXPECT_EQ(generator.counts().malformed, 1U);
  EXPECT_EQ(generator.counts().duplicates, 1U);
  const auto lessons = TaskGenerator::training_sequences(
      *tokenizer,
      {seed, task_in("b", "buy boots", "Shop. Instruction: buy boots. Search")},
      Rng(2));
  EXPECT_EQ(tokenizer->decode(lessons[0].trunk.tokens),
            "<|vary|><|state|>Shop. Instruction: . Search<|task|>buy boots<|task|>buy shoes<|end|>");
}

TEST(TaskGenerator, TeachesOneTaskOfAPlaceFromAnother) {
  const auto tokenizer = test_tokenizer({kKitchen, "put a hot mug in desk."});
  const auto lessons = TaskGenerator::training_sequences(*tokenizer, known_tasks(), Rng(2));
  ASSERT_EQ(lessons.size(), 3U);
  EXPECT_EQ(tokenizer->decode(lessons[0].trunk.tokens),
            "<|vary|><|state|>" + kKitchen +
                "<|task|>put a hot apple in shelf.<|task|>put a hot mug in desk.<|end|>");
  float weight = 0;
  for (const float w : lessons[0].trunk.weights) {
    weight += w;
  }
  EXPECT_EQ(weight, static_cast<float>(tokenizer->encode("put a hot mug in desk.").size() + 1));
}

}  // namespace
}  // namespace dreamgym
