#include "dreamgym/agent/agent_prompt.h"

#include <gtest/gtest.h>

#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

Trajectory story() {
  Trajectory out;
  out.task.instruction = "put a mug in desk";
  out.steps.resize(3);
  for (std::size_t t = 0; t < 3; ++t) {
    out.steps[t].observation.text = "You see a desk 1.";
    out.steps[t].action = "go to desk " + std::to_string(t);
    out.steps[t].next_observation.text = "You arrive.";
  }
  return out;
}

AgentPrompt prompt() {
  return AgentPrompt(test_tokenizer({"put a mug in desk", "You see a desk 1.", "go to desk 1", "You arrive."}));
}

TEST(AgentPrompt, DemonstrationCarriesLossOnActionsOnly) {
  const AgentPrompt agent = prompt();
  const TrainingSequence lesson = agent.demonstration(story(), 1000);
  std::vector<TokenId> taught;
  for (std::size_t i = 0; i < lesson.trunk.size(); ++i) {
    if (lesson.trunk.weights[i] > 0) {
      taught.push_back(lesson.trunk.tokens[i]);
      EXPECT_EQ(lesson.trunk.parts[i], LossPart::kAction);
    }
  }
  EXPECT_EQ(agent.tokenizer().decode(taught),
            "go to desk 0<|observation|>go to desk 1<|observation|>go to desk 2<|observation|>");
}

TEST(AgentPrompt, DemonstrationNeverExceedsItsBudget) {
  const AgentPrompt agent = prompt();
  const std::size_t whole = agent.demonstration(story(), 1000).trunk.size();
  for (std::size_t budget = 20; budget <= whole; ++budget) {
    EXPECT_LE(agent.demonstration(story(), budget).trunk.size(), budget);
  }
}

TEST(AgentPrompt, AWindowOfTheWholeEpisodeIsItsText) {
  const AgentPrompt agent = prompt();
  const Trajectory told = story();
  std::vector<PastTurn> past;
  std::vector<TokenId> text = agent.begin(told.task.instruction, told.steps[0].observation.text);
  for (std::size_t t = 0; t < 2; ++t) {
    past.push_back({t == 0 ? told.steps[0].observation.text : "You arrive.",
                    agent.action(told.steps[t].action)});
    text.insert(text.end(), past.back().action.begin(), past.back().action.end());
    const auto reply = agent.observation("You arrive.", told.task.instruction);
    text.insert(text.end(), reply.begin(), reply.end());
  }
  EXPECT_EQ(agent.window(told.task.instruction, past, "You arrive."), text);
}

TEST(AgentPrompt, DemonstratesEachActionInItsOwnWindow) {
  const AgentPrompt agent = prompt();
  Trajectory told = story();
  for (std::size_t t = 1; t < 3; ++t) {
    told.steps[t].observation = told.steps[t - 1].next_observation;
  }
  const std::vector<TrainingSequence> lessons = agent.demonstrations(std::span(&told, 1), 1000, 1);
  ASSERT_EQ(lessons.size(), 3U);
  EXPECT_EQ(agent.tokenizer().decode(lessons[2].trunk.tokens),
            "<|agent|><|task|>put a mug in desk<|state|>You arrive.<|action|>go to desk 1<|observation|>"
            "You arrive.<|task|>put a mug in desk<|action|>go to desk 2<|observation|>");
  std::vector<TokenId> taught;
  for (std::size_t i = 0; i < lessons[2].trunk.size(); ++i) {
    if (lessons[2].trunk.weights[i] > 0) {
      taught.push_back(lessons[2].trunk.tokens[i]);
    }
  }
  EXPECT_EQ(agent.tokenizer().decode(taught), "go to desk 2<|observation|>");
  EXPECT_EQ(agent.demonstrations(std::span(&told, 1), 1000, kWholeEpisode).size(), 1U);
}

TEST(AgentPrompt, TheTaskStandsBeforeEveryAction) {
  const AgentPrompt agent = prompt();
  EXPECT_EQ(agent.tokenizer().decode(agent.observation("You arrive.", "put a mug in desk")),
            "You arrive.<|task|>put a mug in desk<|action|>");
}

TEST(AgentPrompt, ParsesTheActionItWrote) {
  const AgentPrompt agent = prompt();
  EXPECT_EQ(agent.parse_action(agent.action("go to desk 1")), "go to desk 1");
  EXPECT_EQ(agent.parse_action({}), "");
}

}  // namespace
}  // namespace dreamgym
