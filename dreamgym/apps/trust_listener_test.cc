#include "dreamgym/apps/trust_listener.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

class Notebook final : public TrainingListener {
 public:
  void on_iteration(std::size_t, const std::vector<Episode>&, const std::map<std::string, double>& metrics) override {
    last = metrics;
  }
  [[nodiscard]] std::string save() const override { return "7 8 9"; }
  void restore(const std::string& state) override { restored = state; }

  std::map<std::string, double> last;
  std::string restored;
};

class Notes final : public ProgressSink {
 public:
  void begin(std::string_view, std::size_t, std::string_view) override {}
  void resume(std::size_t) override {}
  void advance(std::size_t, std::string_view) override {}
  void end(std::string_view) override {}
  void note(std::string_view line) override { lines.emplace_back(line); }

  std::vector<std::string> lines;
};

// Confirms what carries the word "honest".
class HonestyAuditor final : public EpisodeAuditor {
 public:
  [[nodiscard]] EpisodeAudit audit(const Trajectory& trajectory) const override {
    EpisodeAudit audit;
    audit.success_confirmed = trajectory.task.instruction == "honest";
    return audit;
  }
};

std::vector<Episode> episodes(std::size_t honest, std::size_t dishonest, std::size_t failed) {
  std::vector<Episode> all(honest + dishonest + failed);
  for (std::size_t i = 0; i < honest + dishonest; ++i) {
    all[i].trajectory.outcome = Outcome::kSuccess;
    all[i].trajectory.task.instruction = i < honest ? "honest" : "";
  }
  return all;
}

PanelResult panel(std::size_t successes, std::size_t tasks, std::size_t steps) {
  PanelResult result;
  result.success = wilson_interval(successes, tasks);
  result.environment_steps = steps;
  return result;
}

TEST(TrustListener, TellsWhenSuccessesAreBorneOutEverLess) {
  Notebook notebook;
  Notes notes;
  const HonestyAuditor auditor;
  TrustListener trust(notebook, {.auditor = &auditor}, notes);
  trust.on_iteration(1, episodes(9, 1, 5), {{"a", 1}});
  EXPECT_EQ(notebook.last.at("a"), 1);
  EXPECT_NEAR(notebook.last.at("trust/unconfirmed_share"), 0.1, 1e-12);
  trust.on_iteration(2, episodes(5, 5, 0), {});
  EXPECT_TRUE(trust.alarms().empty());
  trust.on_iteration(3, episodes(4, 6, 0), {});
  EXPECT_NEAR(notebook.last.at("trust/unconfirmed_rise"), 0.5, 1e-12);
  ASSERT_EQ(trust.alarms().size(), 1U);
  EXPECT_FALSE(trust.wants_stop()) << "only reality can end a training";
  trust.on_iteration(4, episodes(4, 6, 0), {});
  EXPECT_EQ(notes.lines.size(), 1U) << "an alarm is said once";
}

TEST(TrustListener, EndsTheTrainingWhenDreamAndRealityPart) {
  Notebook notebook;
  Notes notes;
  TrustListener trust(notebook, {}, notes);
  trust.observe_probe(panel(5, 10, 100), panel(5, 10, 120));
  for (int i = 1; i <= 2; ++i) {
    trust.observe_probe(panel(9, 10, 90), panel(4, 10, 110));
    trust.on_iteration(static_cast<std::size_t>(i), {}, {{"validation/success_share", 0.4}});
  }
  EXPECT_TRUE(trust.wants_stop());
  EXPECT_EQ(trust.probe_steps(), 340U) << "only real steps count";
  EXPECT_NEAR(notebook.last.at("trust/probe_rise"), 0.5, 1e-12);

  TrustListener resumed(notebook, {}, notes);
  resumed.restore(trust.save());
  EXPECT_TRUE(resumed.wants_stop());
  EXPECT_EQ(resumed.probe_steps(), 340U);
  EXPECT_EQ(notebook.restored, "7 8 9");
  EXPECT_THROW(resumed.restore("7 8 9"), Error);
}

TEST(TrustListener, AddsTheTermsOfTheTheoryWhereTheTrainerMeasured) {
  Notebook notebook;
  Notes notes;
  TrustListener trust(
      notebook,
      {.theory = BoundInputs{.discount = 0.5, .reward_error = 0.1, .transition_error = 0.25}},
      notes);
  trust.on_iteration(1, {}, {{"train/entropy_nats", 1.0}});
  EXPECT_FALSE(notebook.last.contains("theory/improvement"));
  trust.on_iteration(2, {}, {{"theory/surrogate_advantage", 0.2}, {"theory/divergence_nats", 0.01}});
  EXPECT_DOUBLE_EQ(notebook.last.at("theory/surrogate_gain"), 2 * 0.2);
  EXPECT_DOUBLE_EQ(notebook.last.at("theory/trust_region_penalty"), 4 * 0.5 * 4 * 2 * 0.01);
  EXPECT_DOUBLE_EQ(notebook.last.at("theory/model_penalty"), 2 * (0.1 * 2 + 2 * 0.5 * 0.25 * 4));
  EXPECT_DOUBLE_EQ(notebook.last.at("theory/improvement"), 0.4 - 0.16 - 2.4);
}

TEST(TrustListener, HoldsTheDreamAgainstTheLogsWhereThereIsNothingElse) {
  Notebook notebook;
  Notes notes;
  TrustListener trust(notebook, {.logged_success = 0.5}, notes);
  trust.on_iteration(1, episodes(9, 0, 1), {});
  EXPECT_NEAR(notebook.last.at("trust/above_logs_share"), 0.4, 1e-12);
}

}  // namespace
}  // namespace dreamgym
