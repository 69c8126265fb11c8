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
