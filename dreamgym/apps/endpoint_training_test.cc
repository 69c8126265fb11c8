// Training in the dream of an endpoint that fails: it finishes, no failure becomes a reward, every fault is counted.

#include <gtest/gtest.h>

#include <atomic>

#include "dreamgym/experience/prompted_experience.h"
#include "dreamgym/llm/endpoint/endpoint_chat.h"
#include "dreamgym/train/grpo.h"
#include "tests/button_room.h"
#include "tests/fault_server.h"

namespace dreamgym {
namespace {

using Fault = FaultReply::Fault;
using Json = nlohmann::json;

// Plays the button room of tests/button_room.h as a language model would, and fails by its requests' numbers.
class UnreliableButtons {
 public:
  FaultReply answer(const FaultRequest& request) {
    const std::uint64_t lot = Rng(9).fork("fault", request.number).below(100);
    if (lot < 10) {
      ++failed;
      return {.status = 500, .body = R"({"error":{"message":"out of memory"}})"};
    }
    if (lot < 12) {
      ++stalled;
      return {.fault = Fault::kStall};
    }
    if (lot < 15) {
      ++garbage;
      return {.body = chat_answer("success success {\"done\": true, \"success\": true, ")};
    }
    return {.body = chat_answer(play(Json::parse(request.body)).dump())};
  }

  std::atomic<std::size_t> failed{0};
  std::atomic<std::size_t> stalled{0};
  std::atomic<std::size_t> garbage{0};

 private:
  static std::string after(const std::string& text, const std::string& mark) {
    const std::size_t begin = text.rfind(mark) + mark.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  static Json play(const Json& body) {
    const std::string text = body["messages"][1]["content"];
    const std::string task = after(text, "Task: press the ");
    const bool right = after(text, "The agent's action: press ") == task;
    const bool last = text.find("\nAction: ") != std::string::npos;  // the second step
    return {{"why", "It was pressed."}, {"effect", "done"}, {"at", ""}, {"hold", ""}, {"here", ""},
            {"wanted", "the right one pressed"}, {"reached", right ? "the right one pressed" : "the wrong one"},
            {"next_state", "It clicks."}, {"done", right || last}, {"success", right}};
  }
};

class TwoButtons final : public ActionMapper {
 public:
  void reset(std::string_view, std::string_view) override {}
  void observe(std::string_view, std::string_view) override {}
  [[nodiscard]] std::vector<std::string> candidates() const override { return {"press red 1", "press blue 1"}; }
};

// Counts what is rewarded, and whether it should have been.
class Judge final : public TrainingListener {
 public:
  void on_iteration(std::size_t, const std::vector<Episode>& episodes, const std::map<std::string, double>&) override {
    for (const Episode& episode : episodes) {
      const Trajectory& story = episode.trajectory;
      const std::string wanted = "press " + story.task.settings.at("wanted");
      ++num_episodes;
      infrastructure_errors += story.outcome == Outcome::kInfrastructureError ? 1 : 0;
      successes += story.success() ? 1 : 0;
      wrongly_rewarded += story.success() && story.steps.back().action != wanted ? 1 : 0;
      wrongly_failed += !story.success() && story.steps.back().action == wanted ? 1 : 0;
    }
  }
  [[nodiscard]] std::string save() const override { return ""; }
  void restore(const std::string&) override {}

  std::size_t num_episodes = 0;
  std::size_t successes = 0;
  std::size_t infrastructure_errors = 0;
  std::size_t wrongly_rewarded = 0;
  std::size_t wrongly_failed = 0;
};

TEST(TrainingInAnEndpointsDream, FinishesAndNoFailureBecomesAReward) {
  UnreliableButtons buttons;
  FaultServer server([&](const FaultRequest& request) { return buttons.answer(request); });
  EndpointConfig config;
  config.urls = {server.url()};
  config.model = "m";
  config.api_key_variable = "";
  config.timeout_seconds = 2;  // far above what an answer takes, even on a busy machine
  config.first_backoff_seconds = 0.002;
  config.breaker_failures = 8;
  config.breaker_seconds = 0.05;
  config.concurrency = 8;
  EndpointChat chat(std::make_shared<EndpointFleet>(config), StructuredOutput::kSchema, false);
  PromptedExperience dream(chat, nullptr, {.num_demonstrations = 0, .num_recollections = 0, .consistency_attempts = 1});

  ButtonLab lab;
  std::vector<Task> tasks = button_tasks();
  for (Task& task : tasks) {
    task.settings[task_settings::kFirstObservation] = "There is a red 1 and a blue 1.";
  }
  TaskCurriculum curriculum(tasks, {.generated_share = 0}, {});
  const SimpleMapperFactory<TwoButtons> mappers;
  PolicyTrainingConfig grpo;
  grpo.iterations = 12;
  grpo.tasks_per_iteration = 2;
  grpo.group_size = 8;
  grpo.max_steps = 3;
  grpo.validate_every = 0;
  grpo.optimizer.learning_rate = 3e-3;
  GrpoTrainer trainer({lab.model, lab.engine, lab.tokenizer},
                      curriculum,
                      {dream, &mappers, Provenance::kDreamed, dream.version()},
                      grpo,
                      Rng(3));
  Judge judge;
  trainer.listener = &judge;
  const PolicyReport report = trainer.run("dream");

  EXPECT_EQ(report.iterations, 12U) << "training finishes";
  EXPECT_GT(judge.successes, 50U);
  EXPECT_EQ(judge.wrongly_rewarded, 0U);
  EXPECT_EQ(judge.wrongly_failed, 0U) << "an outage is nobody's failure";
  EXPECT_EQ(judge.infrastructure_errors, 0U) << "what could not be played is played anew or left out";

  const EndpointCounters wire = chat.counters();
  const JsonReplyCounts& replies = dream.counters().replies;
  EXPECT_GT(buttons.failed, 10U);
  EXPECT_GT(buttons.stalled, 0U);
  EXPECT_GT(buttons.garbage, 0U);
  EXPECT_EQ(wire.server_errors, buttons.failed);
  EXPECT_EQ(wire.timeouts, buttons.stalled);
  EXPECT_EQ(replies.repaired + 2 * replies.rejected, buttons.garbage) << "a rejected reply was garbage twice";
  EXPECT_EQ(wire.attempts, server.num_requests());
  EXPECT_EQ(wire.attempts, wire.successes + wire.faults());
  EXPECT_EQ(dream.counters().infrastructure_errors, replies.rejected + replies.unavailable);
}

}  // namespace
}  // namespace dreamgym
