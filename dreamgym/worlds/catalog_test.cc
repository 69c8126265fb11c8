#include "dreamgym/worlds/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/worlds/collect.h"

namespace dreamgym {
namespace {

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Catalog, MakesEveryWorldUnderItsName) {
  for (const std::string& name : world_names()) {
    const auto world = make_world(name);
    EXPECT_EQ(world->name(), name);
    EXPECT_FALSE(world->description().empty()) << name;
    EXPECT_FALSE(world->splits().empty()) << name;
    EXPECT_TRUE(world->make_environment() && world->make_action_mapper_factory() &&
                world->make_explainer())
        << name;
  }
}

TEST(Catalog, NamesTheNearestWorldWhenThereIsNone) {
  EXPECT_TRUE(error_of([] { make_world("none"); }).contains("no engine"));
  const std::string error = error_of([] { make_world("tou"); });
  EXPECT_TRUE(contains(error, "expected one of ")) << error;
  EXPECT_TRUE(contains(error, "did you mean \"toy\"?")) << error;
}

TEST(PolicyKind, HasANameThatIsReadBack) {
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kNoisy, PolicyKind::kRandom}) {
    EXPECT_EQ(policy_kind_from_name(policy_kind_name(kind)), kind);
  }
  EXPECT_TRUE(
      contains(error_of([] { policy_kind_from_name("expret"); }), "did you mean \"expert\"?"));
}

TEST(WorldOptions, AreHeldAgainstWhatTheWorldKnows) {
  const auto world = make_world("toy");
  EXPECT_TRUE(contains(error_of([&] { (void)world->tasks({.split = "tain"}); }),
                       "split of world \"toy\": expected one of train, held_out, got \"tain\""));
  EXPECT_TRUE(contains(error_of([&] { (void)world->tasks({.extra = {{"size", "3"}}}); }),
                       "option of world \"toy\": expected none, got \"size\""));
  EXPECT_TRUE(
      contains(error_of([&] { (void)world->tasks({.count = 100000}); }), "expected at most"));
}

TEST(Collect, GivesTheSameEpisodesOnAnyNumberOfThreads) {
  const auto world = make_world("toy");
  CollectOptions options{.tasks = {.count = 10},
                         .policy = PolicyKind::kNoisy,
                         .noise = 0.4,
                         .num_episodes = 25,
                         .seed = 3};
  const auto episodes = collect(*world, options);
  ASSERT_EQ(episodes.size(), 25);
  options.num_threads = 4;
  EXPECT_EQ(collect(*world, options), episodes);
  EXPECT_EQ(episodes[12].task, episodes[2].task);
  EXPECT_NE(episodes[12].seed, episodes[2].seed);
  EXPECT_EQ(episodes[12].episode_id, "toy-train-noisy-3-12");
  for (const Trajectory& episode : episodes) {
    EXPECT_EQ(trajectory_from_json(to_json_line(episode)), episode);
  }
}

TEST(Collect, GivesEachPartTasksOfItsOwnInASharedOrder) {
  const auto world = make_world("alfworld");
  CollectOptions options = {.tasks = {.count = 6}, .num_episodes = 3, .task_order = 7, .max_steps = 2};
  std::set<std::string> played;
  for (options.first_task = 0; options.first_task < 6; options.first_task += 3) {
    for (const Trajectory& episode : collect(*world, options)) {
      played.insert(episode.task.id);
    }
  }
  EXPECT_EQ(played.size(), 6U);
}

TEST(Collect, CutsEpisodesAtTheLimit) {
  const auto world = make_world("toy");
  const auto episodes =
      collect(*world, {.tasks = {.count = 5}, .policy = PolicyKind::kExpert, .max_steps = 2});
  for (const Trajectory& episode : episodes) {
    EXPECT_EQ(episode.steps.size(), 2);
    EXPECT_TRUE(episode.steps.back().truncated);
    EXPECT_FALSE(episode.steps.front().truncated);
    EXPECT_EQ(episode.outcome, Outcome::kTruncated);
  }
  EXPECT_THROW(collect(*world, {.max_steps = 0}), Error);
}

TEST(Collect, LeavesTracesOutWhenNotAskedForThem) {
  const auto world = make_world("toy");
  EXPECT_EQ(collect(*world, {.tasks = {.count = 1}, .explain = false})[0].steps[0].reasoning_trace,
            "");
  EXPECT_NE(collect(*world, {.tasks = {.count = 1}})[0].steps[0].reasoning_trace, "");
}

}  // namespace
}  // namespace dreamgym
