// The promise of env/environment.h as a test suite that any environment can run.
//
// In a test file of the world:
//
//   EnvironmentContract toy_contract() { return {.make = ..., .tasks = ...}; }
//   DREAMGYM_ENVIRONMENT_CONTRACT(ToyEnvironment, toy_contract())
//
// Everything that is played is drawn from fixed seeds. A macro and free functions rather than
// TEST_P, so that several test files of one program can include it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/env/environment.h"
#include "dreamgym/env/recording.h"

namespace dreamgym {

struct EnvironmentContract {
  std::function<std::unique_ptr<Environment>()> make{};
  std::vector<Task> tasks{};       ///< at least one
  std::vector<Action> fallback{};  ///< actions to play where the world shows no admissible ones
  /// Actions that end the task's episode with seed 8; if unset, a random walk may get there.
  std::function<std::vector<Action>(const Task&)> actions_to_the_end{};
  std::size_t num_steps = 12;            ///< length of the random walks
  std::size_t nonsense_bytes = 1 << 20;  ///< length of the longest action
  bool nonsense_is_unrewarded = true;    ///< false only where a zero reward can't be promised
};

namespace environment_contract {

inline Action some_action(const EnvironmentContract& contract,
                          const Observation& observation,
                          Rng& rng) {
  const auto& choices = observation.admissible.empty() ? contract.fallback : observation.admissible;
  check(!choices.empty(), "the contract has actions to play");
  return rng.choose(choices);
}

/// Plays the actions until they or the episode end.
inline Trajectory replay(const EnvironmentContract& contract,
                         const Task& task,
                         std::uint64_t seed,
                         const std::vector<Action>& actions) {
  Recording recording(contract.make());
  recording.reset(task, seed);
  for (const Action& action : actions) {
    const StepResult result = recording.step(action);
    if (result.terminated || result.truncated) {
      break;
    }
  }
  return recording.trajectory();
}

/// A random walk over what the world says is possible.
inline Trajectory walk(const EnvironmentContract& contract, const Task& task, std::uint64_t seed) {
  Rng rng = Rng(seed).fork("contract walk");
  Recording recording(contract.make());
  Observation observation = recording.reset(task, seed);
  for (std::size_t i = 0; i < contract.num_steps; ++i) {
    const StepResult result = recording.step(some_action(contract, observation, rng));
    observation = result.observation;
    if (result.terminated || result.truncated) {
      break;
    }
  }
  return recording.trajectory();
}

inline std::vector<Action> actions_of(const Trajectory& trajectory) {
  std::vector<Action> actions;
  for (const Transition& step : trajectory.steps) {
    actions.push_back(step.action);
  }
  return actions;
}

inline void reset_gives_text(const EnvironmentContract& contract) {
  for (const Task& task : contract.tasks) {
    EXPECT_FALSE(contract.make()->reset(task, 1).text.empty()) << task.id;
  }
}

inline void same_seed_and_actions_give_the_same_trajectory(const EnvironmentContract& contract) {
  for (const Task& task : contract.tasks) {
    const Trajectory first = walk(contract, task, 5);
    EXPECT_EQ(replay(contract, task, 5, actions_of(first)), first) << task.id;
  }
}

inline void rewards_are_finite_and_ends_exclusive(const EnvironmentContract& contract) {
  for (const Task& task : contract.tasks) {
    const Trajectory trajectory = walk(contract, task, 6);
    for (const Transition& step : trajectory.steps) {
      EXPECT_TRUE(std::isfinite(step.reward)) << task.id << ": " << step.action;
      EXPECT_FALSE(step.terminated && step.truncated) << task.id << ": " << step.action;
    }
  }
}

/// Every action offered at the start and half-way through a walk is tried in an episode of its own.
inline void no_admissible_action_throws(const EnvironmentContract& contract) {
  const Task& task = contract.tasks.front();
  std::vector<Action> prefix = actions_of(walk(contract, task, 7));
  prefix.resize(prefix.size() / 2);
  for (const auto& begin : {std::vector<Action>{}, prefix}) {
    const auto environment = contract.make();
    const auto start = [&] {
      Observation observation = environment->reset(task, 7);
      for (const Action& action : begin) {
        observation = environment->step(action).observation;
      }
      return observation;
    };
    for (const Action& action : start().admissible) {
      start();
      EXPECT_NO_THROW(environment->step(action)) << action;
    }
  }
}

inline void nonsense_is_a_normal_step(const EnvironmentContract& contract) {
  const std::vector<Action> nonsense = {"",
                                        " ",
                                        "\n",
                                        "frobnicate the\nquux",
                                        std::string("a\0b", 3),
                                        "\xff\xfe go",
                                        "{\"action\": 1}",
                                        std::string(contract.nonsense_bytes, 'x')};
  const auto environment = contract.make();
  for (const Action& action : nonsense) {
    environment->reset(contract.tasks.front(), 3);
    const std::string shown = action.substr(0, 40);
    StepResult result;
    ASSERT_NO_THROW(result = environment->step(action)) << shown;
    EXPECT_FALSE(result.observation.text.empty()) << shown;
    if (contract.nonsense_is_unrewarded) {
      EXPECT_EQ(result.reward, 0) << shown;
    }
  }
}

inline void step_before_reset_throws(const EnvironmentContract& contract) {
  EXPECT_THROW(contract.make()->step("look"), LogicError);
}

inline void step_after_the_end_throws(const EnvironmentContract& contract) {
  bool ended = false;
  for (const Task& task : contract.tasks) {
    const std::vector<Action> actions = contract.actions_to_the_end
                                            ? contract.actions_to_the_end(task)
                                            : actions_of(walk(contract, task, 8));
    const auto environment = contract.make();
    environment->reset(task, 8);
    bool task_ended = false;
    for (std::size_t i = 0; i < actions.size() && !task_ended; ++i) {
      const StepResult result = environment->step(actions[i]);
      task_ended = result.terminated || result.truncated;
    }
    if (task_ended) {
      EXPECT_THROW(environment->step("look"), LogicError) << task.id;
    } else {
      EXPECT_TRUE(!contract.actions_to_the_end) << task.id << ": the actions do not end it";
    }
    ended = ended || task_ended;
  }
  if (!ended) {
    GTEST_SKIP() << "no random walk came to an end; give the contract actions_to_the_end";
  }
}

inline void reset_restarts_in_mid_episode(const EnvironmentContract& contract) {
  const Task& last = contract.tasks.back();
  const Trajectory expected = walk(contract, last, 9);
  Recording recording(contract.make());
  const Observation observation = recording.reset(contract.tasks.front(), 4);
  Rng rng(4);
  recording.step(some_action(contract, observation, rng));
  recording.reset(last, 9);
  for (const Action& action : actions_of(expected)) {
    recording.step(action);
  }
  EXPECT_EQ(recording.trajectory(), expected);
}

}  // namespace environment_contract

/// One TEST of `suite` for each promise; `contract` is an expression that makes an
/// EnvironmentContract.
#define DREAMGYM_ENVIRONMENT_CONTRACT(suite, contract)                              \
  TEST(suite, ResetGivesText) {                                                     \
    environment_contract::reset_gives_text(contract);                               \
  }                                                                                 \
  TEST(suite, SameSeedAndActionsGiveTheSameTrajectory) {                            \
    environment_contract::same_seed_and_actions_give_the_same_trajectory(contract); \
  }                                                                                 \
  TEST(suite, RewardsAreFiniteAndEndsExclusive) {                                   \
    environment_contract::rewards_are_finite_and_ends_exclusive(contract);          \
  }                                                                                 \
  TEST(suite, NoAdmissibleActionThrows) {                                           \
    environment_contract::no_admissible_action_throws(contract);                    \
  }                                                                                 \
  TEST(suite, NonsenseIsANormalStep) {                                              \
    environment_contract::nonsense_is_a_normal_step(contract);                      \
  }                                                                                 \
  TEST(suite, StepBeforeResetThrows) {                                              \
    environment_contract::step_before_reset_throws(contract);                       \
  }                                                                                 \
  TEST(suite, StepAfterTheEndThrows) {                                              \
    environment_contract::step_after_the_end_throws(contract);                      \
  }                                                                                 \
  TEST(suite, ResetRestartsInMidEpisode) {                                          \
    environment_contract::reset_restarts_in_mid_episode(contract);                  \
  }

}  // namespace dreamgym
