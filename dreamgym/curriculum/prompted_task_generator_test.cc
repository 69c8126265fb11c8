#include "dreamgym/curriculum/prompted_task_generator.h"

#include <gtest/gtest.h>

#include "dreamgym/llm/scripted_chat.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Task seed_task(const std::string& id, const std::string& instruction) {
  Task task;
  task.id = id;
  task.instruction = instruction;
  task.settings[task_settings::kFirstObservation] = "Tickets 1 to 9.";
  return task;
}

// Whatever closes a ticket can be done.
Expected<Task, std::string> only_closing(const Task& seed, const std::string& instruction) {
  if (!instruction.starts_with("close ticket")) {
    return Unexpected<std::string>("no such task");
  }
  Task task = seed;
  task.instruction = instruction;
  return task;
}

bool chooses(const ChatPrompt& prompt) { return prompt.schema_name == "selection"; }

TEST(PromptedTaskGenerator, KeepsTheCandidateThatIsSelectedAmongTheFeasible) {
  ScriptedChat model([](const ChatPrompt& prompt) -> Expected<ChatReply, ModelFailure> {
    const Json json = chooses(prompt)
                          ? Json{{"selection", 2}, {"reasoning", "It is harder."}}
                          : Json{{"tasks", {"close ticket 3", "fly away", "close ticket 4", "close ticket 4", "close ticket 5"}}};
    return ChatReply{.text = json.dump()};
  });
  PromptedTaskGenerator generator(model, only_closing, {.domain = "a desk"});
  const std::vector<Task> seeds = {seed_task("a", "close ticket 3")};
  const auto tasks = generator.vary(seeds, Rng(1));
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].instruction, "close ticket 5") << "of 4 and 5, the second";
  EXPECT_EQ(tasks[0].parent_task, "a");
  EXPECT_EQ(tasks[0].source, "variation");
  EXPECT_EQ(generator.counts().candidates.proposed, 5U);
  EXPECT_EQ(generator.counts().candidates.malformed, 1U);
  EXPECT_EQ(generator.counts().candidates.duplicates, 2U) << "the seed itself, and one twice";
  EXPECT_EQ(generator.counts().unchosen, 1U);
  ASSERT_EQ(model.prompts().size(), 2U);
  EXPECT_NE(model.prompts()[0].messages[1].content.find("Write 5 variations."), std::string::npos);
  EXPECT_NE(model.prompts()[0].messages[0].content.find("a desk"), std::string::npos);
  EXPECT_NE(model.prompts()[1].messages[1].content.find("1. close ticket 4\n2. close ticket 5"), std::string::npos);
}

TEST(PromptedTaskGenerator, AsksForNoChoiceWhereThereIsNone) {
  ScriptedChat model([](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    return ChatReply{.text = R"({"tasks": ["close ticket 8"]})"};
  });
  PromptedTaskGenerator generator(model, only_closing, {});
  const std::vector<Task> seeds = {seed_task("a", "close ticket 3")};
  EXPECT_EQ(generator.vary(seeds, Rng(1)).size(), 1U);
  EXPECT_EQ(model.prompts().size(), 1U);
}

TEST(PromptedTaskGenerator, LeavesASeedAloneThatNobodyAnswers) {
  for (const bool at_selection : {false, true}) {
    ScriptedChat model([at_selection](const ChatPrompt& prompt) -> Expected<ChatReply, ModelFailure> {
      if (chooses(prompt) == at_selection) {
        return ChatReply{.text = R"({"selection": 7})"};  // out of range, or no candidates at all
      }
      return ChatReply{.text = R"({"tasks": ["close ticket 8", "close ticket 9"]})"};
    });
    PromptedTaskGenerator generator(model, only_closing, {});
    const std::vector<Task> seeds = {seed_task("a", "close ticket 3")};
    EXPECT_TRUE(generator.vary(seeds, Rng(1)).empty());
    EXPECT_EQ(generator.counts().failed_seeds, 1U);
    EXPECT_EQ(generator.counts().replies.rejected, 1U);
  }
}

}  // namespace
}  // namespace dreamgym
