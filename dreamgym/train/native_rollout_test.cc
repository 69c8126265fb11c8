// Rollouts of the native engine: its running batch says what generate() says, whatever the timing.

#include <gtest/gtest.h>

#include "dreamgym/rollout/play_episodes.h"
#include "tests/button_room.h"

namespace dreamgym {
namespace {

// Answers at once, so that the policy is asked with one generate() a turn.
class Prompt final : public EnvironmentBatch {
 public:
  std::vector<Observation> start(std::span<const std::size_t> slots,
                                 std::span<const Task> tasks,
                                 std::span<const std::uint64_t> seeds) override {
    return rooms_.start(slots, tasks, seeds);
  }
  void end_all() override { rooms_.end_all(); }
  std::vector<StepResult> step(std::span<const std::size_t> slots, std::span<const Action> actions) override {
    return rooms_.step(slots, actions);
  }

 private:
  SingleEnvironmentBatch rooms_{[] { return std::make_unique<ButtonRoom>(); }, 1};
};

std::vector<Episode> play(ButtonLab& lab,
                          EnvironmentBatch& rooms,
                          std::size_t batch_size,
                          std::size_t history_steps) {
  TokenAgent agent(lab.engine, lab.tokenizer, {.history_steps = history_steps});
  std::vector<Task> tasks;
  for (const Task& task : button_tasks()) {
    tasks.insert(tasks.end(), 8, task);
  }
  return play_episodes(agent, rooms, nullptr, tasks, Rng(4), {.batch_size = batch_size});
}

TEST(NativeRollout, DoesNotDependOnTimingPlacesOrThreads) {
  for (const std::size_t history_steps : {kWholeEpisode, std::size_t{1}}) {
    ButtonLab plain;
    Prompt prompt;
    const auto whole = play(plain, prompt, 16, history_steps);
    for (const std::size_t threads : {1, 3}) {
      ButtonLab lab(threads);
      for (const std::size_t batch_size : {1, 3, 16}) {
        for (EnvironmentBatch* rooms : {static_cast<EnvironmentBatch*>(&prompt),
                                        static_cast<EnvironmentBatch*>(&lab.room)}) {
          const auto played = play(lab, *rooms, batch_size, history_steps);
          ASSERT_EQ(played.size(), whole.size());
          for (std::size_t i = 0; i < whole.size(); ++i) {
            EXPECT_EQ(played[i].trajectory, whole[i].trajectory) << i;
            EXPECT_EQ(played[i].ledgers, whole[i].ledgers) << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dreamgym
