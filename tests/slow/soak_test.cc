// Three hundred iterations among environments that fail in every way there is: nothing hangs, nothing
// leaks, and the counts are those of what was injected.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "dreamgym/base/error.h"
#include "dreamgym/env/deadline.h"
#include "dreamgym/train/policy_algorithm.h"
#include "tests/button_room.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr std::size_t kIterations = 300;
constexpr std::size_t kTasks = 4;
constexpr std::size_t kMembers = 4;
constexpr double kShare = 0.05;        // of the episodes, for each kind of failure
constexpr double kTurnSeconds = 0.3;
constexpr std::size_t kWarm = 60;      // iterations after which memory is flat

struct Injected {
  std::atomic<std::size_t> thrown = 0;
  std::atomic<std::size_t> stalled = 0;
  std::atomic<std::size_t> unpaid = 0;    // the reward was no number
  std::atomic<std::size_t> endless = 0;
  std::mutex mutex;
  Rng rng{17};

  double draw() {
    const std::lock_guard lock(mutex);
    return rng.uniform();
  }
  [[nodiscard]] std::size_t failures() const { return thrown + stalled + unpaid; }
};

/// A button room that goes wrong in a share of its episodes.
class FaultyRoom final : public Environment {
 public:
  explicit FaultyRoom(std::shared_ptr<Injected> injected) : injected_(std::move(injected)) {}

  Observation reset(const Task& task, std::uint64_t seed) override {
    const double draw = injected_->draw();
    const auto within = [&](int kind) { return draw >= kind * kShare && draw < (kind + 1) * kShare; };
    throws_ = within(0);
    stalls_ = within(1);
    unpaid_ = within(2);
    endless_ = within(3);
    injected_->endless += endless_ ? 1 : 0;
    return room_.reset(task, seed);
  }

  StepResult step(const Action& action) override {
    if (throws_) {
      ++injected_->thrown;
      throw Error(ErrorKind::kIo, "the room fell silent");
    }
    if (stalls_) {
      ++injected_->stalled;
      std::this_thread::sleep_for(std::chrono::duration<double>(2 * kTurnSeconds));
    }
    StepResult result = room_.step(action);
    if (unpaid_) {
      ++injected_->unpaid;
      result.reward = std::numeric_limits<double>::quiet_NaN();
    }
    if (endless_) {
      result.reward = 0;
      result.terminated = false;
    }
    return result;
  }

 private:
  std::shared_ptr<Injected> injected_;
  ButtonRoom room_;
  bool throws_ = false;
  bool stalls_ = false;
  bool unpaid_ = false;
  bool endless_ = false;
};

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

class Watch final : public TrainingListener {
 public:
  void on_iteration(std::size_t,
                    const std::vector<Episode>& played,
                    const std::map<std::string, double>& metrics) override {
    episodes += played.size();
    truncated += static_cast<std::size_t>(std::ranges::count_if(played, [](const Episode& episode) {
      return episode.trajectory.outcome == Outcome::kTruncated;
    }));
    failed += metrics.contains("rollout/failed_attempts") ? metrics.at("rollout/failed_attempts") : 0;
    memory.push_back(resident_megabytes());
  }
  [[nodiscard]] std::string save() const override { return ""; }
  void restore(const std::string&) override {}

  std::size_t episodes = 0;
  std::size_t truncated = 0;
  double failed = 0;
  std::vector<double> memory;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

TEST(Soak, CountsEveryFailureAndKeepsItsMemory) {
  const auto injected = std::make_shared<Injected>();
  SingleEnvironmentBatch rooms(
      [injected]() -> std::unique_ptr<Environment> {
        return std::make_unique<DeadlineEnvironment>(std::make_unique<FaultyRoom>(injected),
                                                     kTurnSeconds);
      },
      kTasks * kMembers,
      SingleEnvironmentBatch::WhenItFails::kReport);
  ButtonLab lab;
  PolicyTrainingConfig config;
  config.iterations = kIterations;
  config.tasks_per_iteration = kTasks;
  config.group_size = kMembers;
  config.max_steps = 3;
  config.validate_every = 50;
  config.checkpoint_every = 25;
  config.tokens_per_micro_batch = 256;
  config.guards.patience = 0;  // the room is learnt long before the end
  const auto trainer = make_policy_trainer({lab.model, lab.engine, lab.tokenizer},
                                           nullptr,
                                           lab.curriculum,
                                           {rooms, nullptr, Provenance::kReal, ""},
                                           config,
                                           Rng(3));
  const TemporaryFolder folder;
  Watch watch;
  trainer->checkpoints = folder.path();
  trainer->listener = &watch;
  trainer->validate = [] { return 0.5; };
  const PolicyReport report = trainer->run("soak");

  EXPECT_EQ(report.iterations, kIterations);
  EXPECT_EQ(report.failed_attempts, injected->failures());
  EXPECT_EQ(static_cast<std::size_t>(watch.failed), injected->failures());
  EXPECT_EQ(watch.episodes + report.lost_episodes, kIterations * kTasks * kMembers);
  EXPECT_EQ(watch.truncated, injected->endless);
  for (const auto* kind : {&injected->thrown, &injected->stalled, &injected->unpaid, &injected->endless}) {
    EXPECT_GT(*kind, 150U) << "each kind was there";
  }
  ASSERT_EQ(watch.memory.size(), kIterations);
  const double warm = median({watch.memory.begin() + kWarm, watch.memory.begin() + 2 * kWarm});
  const double last = median({watch.memory.end() - kWarm, watch.memory.end()});
  RecordProperty("megabytes_warm", std::to_string(warm));
  RecordProperty("megabytes_last", std::to_string(last));
  fmt::print("memory {:.1f} MiB after {} iterations, {:.1f} MiB at the end; {} throws, {} stalls, {} rewards "
             "that are no number, {} endless episodes; {} episodes lost\n",
             warm,
             kWarm,
             last,
             injected->thrown.load(),
             injected->stalled.load(),
             injected->unpaid.load(),
             injected->endless.load(),
             report.lost_episodes);
  EXPECT_LT(last, 1.02 * warm);
}

}  // namespace
}  // namespace dreamgym
