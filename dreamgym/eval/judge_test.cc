#include "dreamgym/eval/judge.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "dreamgym/llm/scripted_chat.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;
using Scores = std::array<int, kNumCriteria>;

Transition dreamed(const std::string& before, const std::string& after) {
  Transition step;
  step.observation.text = before;
  step.action = "open desk 1";
  step.next_observation.text = after;
  return step;
}

StepResult truth(const std::string& text) {
  StepResult result;
  result.observation.text = text;
  return result;
}

TEST(JudgeAgainstTruth, GivesAllPointsForTheTruth) {
  const std::string real = "You open the desk 1. On it, you see a mug 1.";
  EXPECT_EQ(judge_against_truth(dreamed("You see a desk 1.", real), truth(real)).scores, (Scores{2, 2, 2, 2}));
}

TEST(JudgeAgainstTruth, SeesWhatIsMissingAndWhatIsInvented) {
  const Transition sparse = dreamed("You see a desk 1.", "You open the desk 1.");
  EXPECT_EQ(judge_against_truth(sparse, truth("You open the desk 1. On it, you see a mug 1.")).scores,
            (Scores{1, 2, 1, 2}));
  const Transition other = dreamed("You see a desk 1.", "Rain falls softly over green hills today.");
  EXPECT_EQ(judge_against_truth(other, truth("You open the desk 1.")).scores, (Scores{0, 0, 0, 1}));
  EXPECT_EQ(judge_against_truth(dreamed("Same.", "Same."), truth("Same.")).scores, (Scores{2, 0, 2, 2}));
  EXPECT_EQ(judge_against_truth(dreamed("Same.", ""), truth("You open the desk 1.")).scores, (Scores{0, 0, 0, 2}));
}

TEST(JudgeAgainstTruth, KnowsAHallucinatedSuccessAndAnIgnoredFailure) {
  Transition optimist = dreamed("A desk.", "Done, you win.");
  optimist.terminated = true;
  optimist.reward = 1;
  EXPECT_EQ(judge_against_truth(optimist, truth("Done, you win.")).scores[3], 0);
  StepResult refused = truth("Nothing happens.");
  refused.action_valid = false;
  EXPECT_EQ(judge_against_truth(dreamed("A desk.", "You open the desk and see a cup."), refused).scores[3], 0);
  Transition honest = dreamed("A desk.", "That does not work here.");
  honest.reasoning_trace = "effect: invalid";
  EXPECT_EQ(judge_against_truth(honest, refused).scores[3], 1);
}

Trajectory two_steps() {
  Trajectory story;
  story.episode_id = "e";
  story.task.instruction = "open the desk";
  story.steps = {dreamed("A room.", "A desk 1."), dreamed("A desk 1.", "It is open.")};
  return story;
}

TEST(JudgeByModel, AsksWithTheRubricAndRemembersTheAnswers) {
  ScriptedChat model([](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    return ChatReply{.text = Json{{"reason", "Fine."}, {"consistency", 2}, {"diversity", 1}, {"informativeness", 1}, {"hallucination", 2}}.dump()};
  });
  const TemporaryFolder folder;
  const std::vector<Trajectory> stories = {two_steps()};
  SilentProgress silent;
  for (const std::size_t run : {0, 1}) {
    std::vector<JudgedStep> steps = {{0, 0, {}, {}}, {0, 1, {}, {}}};
    const auto report = judge_by_model(model, stories, steps, "a desk", folder.path() / "judge.jsonl", silent);
    EXPECT_EQ(report.cached, run == 0 ? 0U : 2U);
    ASSERT_TRUE(steps[1].scores.has_value());
    EXPECT_EQ(steps[1].scores->scores, (Scores{2, 1, 1, 2}));
    EXPECT_EQ(steps[1].judge, "scripted");
  }
  ASSERT_EQ(model.prompts().size(), 2U) << "a second run asks nothing";
  EXPECT_NE(model.prompts()[0].messages[0].content.find(kRubricVersion), std::string::npos);
  EXPECT_NE(model.prompts()[1].messages[1].content.find("State before: A desk 1.\nThe agent's action: open desk 1\nState that follows: It is open."),
            std::string::npos);
}

TEST(JudgeByModel, LeavesAStepUnjudgedThatNobodyCanJudge) {
  ScriptedChat model([](const ChatPrompt&) -> Expected<ChatReply, ModelFailure> {
    return ChatReply{.text = R"({"consistency": 3})"};
  });
  const std::vector<Trajectory> stories = {two_steps()};
  std::vector<JudgedStep> steps = {{0, 0, {}, {}}, {0, 1, JudgeScores{{1, 1, 1, 1}, ""}, "rules"}};
  SilentProgress silent;
  const auto report = judge_by_model(model, stories, steps, "", "", silent);
  EXPECT_EQ(report.replies.rejected, 1U);
  EXPECT_FALSE(steps[0].scores.has_value());
  EXPECT_EQ(model.prompts()[1].messages.back().content.find("\"consistency\" is not 0, 1 or 2") == std::string::npos, false);
}

TEST(CriterionMean, CountsEveryEpisodeOnce) {
  const auto scored = [](std::size_t episode, int score) {
    return JudgedStep{episode, 0, JudgeScores{{score, 0, 0, 0}, ""}, "rules"};
  };
  const std::vector<JudgedStep> steps = {scored(0, 2), scored(0, 2), scored(0, 2), scored(1, 0)};
  const auto mean = criterion_mean(steps, 0);
  ASSERT_TRUE(mean.has_value());
  EXPECT_DOUBLE_EQ(mean->value, 1.0);
  EXPECT_FALSE(criterion_mean(std::vector<JudgedStep>{{0, 0, {}, {}}}, 0).has_value());
}

}  // namespace
}  // namespace dreamgym
