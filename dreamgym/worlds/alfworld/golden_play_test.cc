// Plays of generated games, kept as text: tests/golden/alfworld/*.play.
//
// Regenerate: DREAMGYM_REGENERATE=1 <build>/worlds_test --gtest_filter='GoldenPlay.*', then review
// the difference as text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/alfworld_world.h"

namespace dreamgym {
namespace {

struct Play {
  const char* name;
  const char* split;
  const char* dialect;
  PolicyKind policy;
  std::size_t task;
};

constexpr Play kPlays[] = {{"expert_train", "train", "0.4", PolicyKind::kExpert, 0},
                           {"expert_classic", "valid_seen", "0.3", PolicyKind::kExpert, 1},
                           {"noisy_unseen", "valid_unseen", "0.4", PolicyKind::kNoisy, 2},
                           {"random_train", "train", "0.4", PolicyKind::kRandom, 6}};

std::string flags(const StepResult& result) {
  return fmt::format("[reward {}{}]", result.reward, result.terminated ? ", terminated" : "");
}

std::string play(const Play& what) {
  const auto world = make_alfworld_world();
  const Task task = world->tasks({.split = what.split,
                                  .count = what.task + 1,
                                  .extra = {{"dialect", what.dialect}}})[what.task];
  const auto environment = world->make_environment();
  const auto policy = world->make_policy(what.policy, 0.3);
  Observation observation = environment->reset(task, 0);
  policy->reset(task, observation, 5);
  std::string text = fmt::format("# {} ({})\n{}\n", task.id, what.dialect, observation.text);
  for (int i = 0; i < 20; ++i) {
    const Action action = policy->act();
    const StepResult result = environment->step(action);
    text += fmt::format("\n> {}\n{}\n{}\n", action, result.observation.text, flags(result));
    policy->observe(action, result.observation);
    observation = result.observation;
    if (result.terminated) {
      return text;
    }
  }
  return text + "\n" + join(observation.admissible, "\n") + "\n";
}

class GoldenPlay : public testing::TestWithParam<Play> {};

TEST_P(GoldenPlay, IsPlayedAgainWordForWord) {
  const Path path = Path(DREAMGYM_SOURCE_DIR) / "tests" / "golden" / "alfworld" /
                    (std::string(GetParam().name) + ".play");
  const std::string played = play(GetParam());
  if (std::getenv("DREAMGYM_REGENERATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    make_folder(path.parent_path());
    write_file(path, played);
  }
  EXPECT_EQ(played, read_file(path));
}

INSTANTIATE_TEST_SUITE_P(Plays, GoldenPlay, testing::ValuesIn(kPlays), [](const auto& info) {
  return std::string(info.param.name);
});

}  // namespace
}  // namespace dreamgym
