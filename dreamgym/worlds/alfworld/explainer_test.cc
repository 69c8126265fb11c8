// Teacher traces and the audit of episodes.
#include "dreamgym/worlds/alfworld/explainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/alfworld_world.h"
#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/text_audit.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

using namespace alfworld;  // NOLINT(google-build-using-namespace)

std::vector<Trajectory> episodes(PolicyKind policy,
                                 std::size_t count,
                                 const std::map<std::string, std::string>& extra = {}) {
  const auto world = make_alfworld_world();
  return collect(*world,
                 {.tasks = {.count = count, .extra = extra},
                  .policy = policy,
                  .noise = 0.2,
                  .max_steps = 30,
                  .explain = false});
}

TEST(AlfworldExplainer, ExactAndTextAgreeAndWantedIsGotExactlyWhenTheGoalIsReached) {
  const auto exact = make_exact_explainer(std::make_shared<GameLibrary>());
  const auto text = make_text_explainer();
  std::size_t steps = 0;
  std::size_t same = 0;
  for (const PolicyKind policy : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (Trajectory episode : episodes(policy, 30)) {
      Trajectory by_text = episode;
      exact->explain(episode);
      text->explain(by_text);
      for (std::size_t i = 0; i < episode.steps.size(); ++i) {
        const std::string& trace = episode.steps[i].reasoning_trace;
        ++steps;
        same += trace == by_text.steps[i].reasoning_trace ? 1 : 0;
        const auto parsed = parse_reasoning_trace(trace);
        ASSERT_TRUE(parsed) << trace;
        EXPECT_EQ(wanted_is_reached(*parsed), episode.steps[i].reward > 0) << trace;
      }
    }
  }
  EXPECT_GT(static_cast<double>(same), 0.995 * static_cast<double>(steps));
}

Transition step_of(const std::string& action, const std::string& reply, double reward = 0) {
  Transition step;
  step.observation.text =
      "You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a desk 1, "
      "and a microwave 1.";
  step.action = action;
  step.action_valid = reply != kNothingHappens;
  step.next_observation.text = reply;
  step.reward = reward;
  step.terminated = reward > 0;
  return step;
}

/// As a log without a game gives it.
Trajectory hot_mug_episode() {
  Trajectory episode;
  episode.task.world = "alfworld";
  episode.task.instruction = "put a hot mug in cabinet";
  episode.outcome = Outcome::kSuccess;
  episode.steps = {
      step_of("go to desk 1", "On the desk 1, you see a mug 1, and a pen 1."),
      step_of("take mug 1 from desk 1", "You pick up the mug 1 from the desk 1."),
      step_of("go to cabinet 1", "The cabinet 1 is closed."),
      step_of("take pen 1 from desk 1", "Nothing happens."),
      step_of("open cabinet 1",
              "You open the cabinet 1. The cabinet 1 is open. In it, you see nothing."),
      step_of("put mug 1 in/on cabinet 1", "You put the mug 1 in/on the cabinet 1."),
      step_of("take mug 1 from cabinet 1", "You pick up the mug 1 from the cabinet 1."),
      step_of("go to microwave 1", "The microwave 1 is closed."),
      step_of("heat mug 1 with microwave 1", "You heat the mug 1 using the microwave 1."),
      step_of("go to cabinet 1", "The cabinet 1 is open. In it, you see nothing."),
      step_of("put mug 1 in/on cabinet 1", "You put the mug 1 in/on the cabinet 1.", 1)};
  return episode;
}

TEST(AlfworldExplainer, SaysWhatHappenedFromTextAlone) {
  Trajectory episode = hot_mug_episode();
  make_alfworld_world()->make_explainer()->explain(episode);  // there is no game: from the text
  std::vector<std::string> traces;
  for (const Transition& step : episode.steps) {
    traces.push_back(step.reasoning_trace);
  }
  EXPECT_EQ(
      traces,
      (std::vector<std::string>{
          "effect: new; at: desk 1; hold: nothing; find: mug",
          "effect: moved; at: desk 1; hold: mug 1; here: pen 1",
          "effect: closed; at: cabinet 1; hold: mug 1",
          "effect: invalid; at: cabinet 1; hold: mug 1",
          "effect: new; at: cabinet 1; hold: mug 1; find: nothing",
          "effect: moved; at: cabinet 1; hold: nothing; here: mug 1; want: hot mug in cabinet; "
          "got: mug in cabinet",
          "effect: moved; at: cabinet 1; hold: mug 1; here: nothing",
          "effect: closed; at: microwave 1; hold: mug 1",
          "effect: done; at: microwave 1; hold: hot mug 1",
          "effect: again; at: cabinet 1; hold: hot mug 1",
          "effect: moved; at: cabinet 1; hold: nothing; here: mug 1; want: hot mug in cabinet; "
          "got: hot mug in cabinet"}));
}

TEST(AlfworldExplainer, RefusesOtherWorldsAndSentences) {
  Trajectory episode = hot_mug_episode();
  episode.task.instruction = "buy a mug";
  EXPECT_THROW(make_text_explainer()->explain(episode), Error);
  episode.task.world = "webshop";
  EXPECT_THROW(make_text_explainer()->explain(episode), Error);
}

TEST(TextAudit, FindsNothingWrongInRealEpisodes) {
  const auto auditor = make_text_auditor();
  std::size_t second_looks = 0;
  for (const PolicyKind policy : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    for (const Trajectory& episode : episodes(policy, 30)) {
      const EpisodeAudit audit = auditor->audit(episode);
      second_looks += audit.num_second_looks;
      EXPECT_EQ(audit.num_agreeing, audit.num_second_looks);
      EXPECT_EQ(audit.num_contradictions, 0U) << audit.first_contradiction;
      EXPECT_EQ(audit.success_confirmed, episode.success());
    }
  }
  EXPECT_GT(second_looks, 100U);
  EXPECT_TRUE(auditor->audit(hot_mug_episode()).success_confirmed);
}

TEST(TextAudit, ConfirmsNoSuccessThatTheTextDoesNotBearOut) {
  Trajectory episode = hot_mug_episode();
  episode.steps.erase(episode.steps.begin() + 8);  // never heated
  EXPECT_FALSE(make_text_auditor()->audit(episode).success_confirmed);
  episode = hot_mug_episode();
  episode.task.instruction = "put a hot mug in desk";
  EXPECT_FALSE(make_text_auditor()->audit(episode).success_confirmed);
}

TEST(TextAudit, NamesTheFirstContradiction) {
  struct Lie {
    std::size_t step;
    std::string reply;
  };
  for (const Lie& lie : std::vector<Lie>{
           {0, "On the cabinet 1, you see a mug 1."},                // another place
           {1, "You pick up the mug 2 from the desk 1."},            // never seen there
           {5, "You put the pen 1 in/on the cabinet 1."},            // not held
           {8, "You heat the pen 1 using the microwave 1."},         // another object
           {9, "The cabinet 1 is open. In it, you see a plate 1."},  // nothing was there
           {9, "The cabinet 1 is closed."},                          // it was left open
           {7, "On the sofa 1, you see nothing."}}) {                // no such place
    Trajectory episode = hot_mug_episode();
    episode.steps[lie.step].next_observation.text = lie.reply;
    const EpisodeAudit audit = make_text_auditor()->audit(episode);
    EXPECT_GT(audit.num_contradictions, 0U) << lie.reply;
    EXPECT_TRUE(
        audit.first_contradiction.starts_with("step " + std::to_string(lie.step + 1) + ": "))
        << audit.first_contradiction;
  }
}

}  // namespace
}  // namespace dreamgym
