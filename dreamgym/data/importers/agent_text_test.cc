#include "dreamgym/data/importers/agent_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dreamgym/data/importers/dialogue.h"

namespace dreamgym::internal {
namespace {

TEST(AgentText, FindsThoughtAndActionInEveryCustomaryForm) {
  struct Case {
    std::string text;
    std::string thought;
    std::string action;
  };
  const std::vector<Case> cases = {
      {"go to desk 1", "", "go to desk 1"},
      {"  go to desk 1\n", "", "go to desk 1"},
      {"Thought: I go.\nAction: go to desk 1", "I go.", "go to desk 1"},
      {"Thought:\nI go.\n\nAction:\nsearch[red lamp]", "I go.", "search[red lamp]"},
      {"THOUGHT: I go. ACTION: go to desk 1", "I go.", "go to desk 1"},
      {"Think: I go.\nAct: bash\n\n```bash\nls\n```", "I go.", "bash\n\n```bash\nls\n```"},
      {"Action: look\nObservation: a made-up page", "", "look"},
      {"**Thought:** hm\n**Action:** look", "**Thought:** hm", "look"},
      {"<think>I go.</think>\nlook", "I go.", "look"},
      {"<think>I go.</think><action> look </action> bye", "I go.", "look"},
      {"<action>look", "", "look"},
      {"Reaction: none", "", "Reaction: none"},
      {"", "", ""},
  };
  for (const auto& [text, thought, action] : cases) {
    const AgentText read = parse_agent_text(text);
    EXPECT_EQ(read.thought, thought) << text;
    EXPECT_EQ(read.action, action) << text;
  }
}

TEST(Instruction, IsFoundWhereATextStatesOne) {
  EXPECT_EQ(find_instruction("A room.\n\nYour task is to: put a mug on desk."),
            "put a mug on desk");
  EXPECT_EQ(find_instruction("Your task is to boil water. For that, focus.\nMore."),
            "boil water. For that, focus");
  EXPECT_EQ(find_instruction("Hi.\nTask: find it\nNow."), "find it");
  EXPECT_EQ(find_instruction("Instruction:\nfind a lamp\nSearch"), "find a lamp");
  EXPECT_EQ(find_instruction("WebShop [SEP] Instruction: [SEP] Find it [SEP] Search"), "Find it");
  EXPECT_EQ(find_instruction("Every subtask: has a goal"), "");
  EXPECT_EQ(find_instruction("Your task is to:"), "");
  EXPECT_EQ(find_instruction(""), "");
}

}  // namespace
}  // namespace dreamgym::internal
