#include "dreamgym/worlds/invented/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/invented/probes.h"

namespace dreamgym::invented {
namespace {

CorpusConfig only(WorldKind kind) {
  CorpusConfig config;
  config.weights.assign(kNumWorldKinds, 0);
  config.weights[static_cast<std::size_t>(kind)] = 1;
  return config;
}

class EveryKind : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] WorldKind kind() const { return static_cast<WorldKind>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Invented,
                         EveryKind,
                         testing::Range(0, static_cast<int>(kNumWorldKinds)),
                         [](const auto& instance) {
                           return std::string(
                               world_kind_name(static_cast<WorldKind>(instance.param)));
                         });

TEST_P(EveryKind, MakesTheSameTrajectoryFromTheSameNumber) {
  InventedCorpus corpus(only(kind()), 5);
  const InventedCorpus again(only(kind()), 5);
  const InventedCorpus other(only(kind()), 6);
  int differing = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Trajectory trajectory = corpus.next();
    EXPECT_EQ(trajectory, again.at(i));
    differing += trajectory.steps == other.at(i).steps ? 0 : 1;
  }
  EXPECT_GE(differing, 19);
}

TEST_P(EveryKind, GivesWellFormedSteps) {
  InventedCorpus corpus(only(kind()), 7);
  for (int i = 0; i < 60; ++i) {
    const Trajectory trajectory = corpus.next();
    ASSERT_FALSE(trajectory.steps.empty());
    EXPECT_FALSE(trajectory.task.instruction.empty());
    EXPECT_EQ(trajectory.task.world, "invented");
    for (std::size_t t = 0; t < trajectory.steps.size(); ++t) {
      const Transition& step = trajectory.steps[t];
      const bool is_last = t + 1 == trajectory.steps.size();
      EXPECT_EQ(step.terminated || step.truncated, is_last);
      EXPECT_FALSE(step.next_observation.text.empty());
      EXPECT_EQ(step.next_observation.admissible.empty(), step.terminated);
      if (!is_last) {
        EXPECT_EQ(step.next_observation, trajectory.steps[t + 1].observation);
      }
      const std::vector<std::string>& possible = step.observation.admissible;
      EXPECT_EQ(std::set(possible.begin(), possible.end()).size(), possible.size())
          << "twice the same command in " << trajectory.episode_id;
      EXPECT_EQ(std::ranges::count(possible, step.action) > 0, step.action_valid);
    }
  }
}

TEST_P(EveryKind, ExplainsEveryStepAndRewardsOnlyReachedWishes) {
  InventedCorpus corpus(only(kind()), 8);
  std::size_t attempts = 0;
  std::size_t successes = 0;
  for (int i = 0; i < 60; ++i) {
    const Trajectory trajectory = corpus.next();
    for (const Transition& step : trajectory.steps) {
      const auto trace = parse_reasoning_trace(step.reasoning_trace);
      ASSERT_TRUE(trace) << step.reasoning_trace;
      ASSERT_GE(trace->fields.size(), 3U);
      EXPECT_EQ(trace->fields[1].first, "at");
      EXPECT_EQ(trace->fields[2].first, "hold");
      EXPECT_EQ(trace->find("effect") == effects::kInvalid, !step.action_valid);
      EXPECT_EQ(wanted_is_reached(*trace), step.reward == 1) << step.reasoning_trace;
      attempts += trace->find("want") ? 1 : 0;
    }
    EXPECT_EQ(trajectory.steps.back().reward == 1, trajectory.success());
    EXPECT_EQ(trajectory.episode_return, trajectory.success() ? 1 : 0);
    successes += trajectory.success() ? 1 : 0;
  }
  EXPECT_GT(successes, 20U);
  EXPECT_GT(attempts, successes) << "some attempts must fail";
}

TEST_P(EveryKind, HasExpertsThatNearlyAlwaysSucceed) {
  InventedCorpus corpus(only(kind()), 9);
  int experts = 0;
  int successes = 0;
  for (int i = 0; i < 100; ++i) {
    const Trajectory trajectory = corpus.next();
    if (trajectory.policy_version == "expert") {
      ++experts;
      successes += trajectory.success() ? 1 : 0;
    }
  }
  EXPECT_GE(successes * 100, experts * 90);
}

TEST_P(EveryKind, KeepsEpisodesShortEnoughForASmallContext) {
  InventedCorpus corpus(only(kind()), 10);
  std::size_t total = 0;
  constexpr int kEpisodes = 60;
  for (int i = 0; i < kEpisodes; ++i) {
    const Trajectory trajectory = corpus.next();
    EXPECT_LE(trajectory.steps.size(), 28U);
    std::size_t pieces = count_pieces(trajectory.task.instruction) +
                         count_pieces(trajectory.steps.front().observation.text);
    for (const Transition& step : trajectory.steps) {
      pieces += count_pieces(step.action) + count_pieces(step.reasoning_trace) +
                count_pieces(step.next_observation.text);
    }
    EXPECT_LE(pieces, 1600U);
    total += pieces;
  }
  EXPECT_GE(total / kEpisodes, 100U);
  EXPECT_LE(total / kEpisodes, 700U);
}

/// Keeps its own account of what lies where, from texts and traces alone.
class ListChecker {
 public:
  /// @param has_own_order  lists follow the order in which things came; else only sets are
  /// compared.
  ListChecker(const NamePool& pool, bool has_own_order)
      : names_(pool.names().begin(), pool.names().end()), has_own_order_(has_own_order) {}

  /// @return how many lists seen before were checked; -1 at the first contradiction.
  int check(const Trajectory& trajectory) {
    contents_.clear();
    held_.clear();
    at_ = "start";
    if (trajectory.task.source == "invented/passages") {
      const std::vector<std::string> mentioned = mentions(trajectory.steps[0].observation.text, "");
      at_ = mentioned.front();
      contents_[at_] = {mentioned.begin() + 1, mentioned.end()};
    }
    int checked = 0;
    for (const Transition& step : trajectory.steps) {
      const ReasoningTrace trace = *parse_reasoning_trace(step.reasoning_trace);
      const std::string effect = *trace.find("effect");
      const std::string at = *trace.find("at");
      const std::vector<std::string> listed = mentions(step.next_observation.text, at);
      if (effect == effects::kNew) {
        if (contents_.contains(at)) {
          return -1;
        }
        contents_[at] = listed;
      } else if (effect == effects::kAgain) {
        if (!agree(contents_.at(at), listed)) {
          return -1;
        }
        ++checked;
      }
      carry(at, mentions(*trace.find("hold"), ""));
    }
    return checked;
  }

 private:
  /// Names in the text with their number or colour, in order, without those equal to `place`.
  std::vector<std::string> mentions(const std::string& text, const std::string& place) const {
    static const std::set<std::string> kColours = {
        "red", "blue", "green", "black", "white", "yellow", "old", "small"};
    std::string plain;
    for (const char c : text) {
      plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : ' ';
    }
    const std::vector<std::string> all = words(plain);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!names_.contains(all[i])) {
        continue;
      }
      std::string name = all[i];
      if (i > 0 && kColours.contains(all[i - 1])) {
        name = all[i - 1] + " " + name;
      }
      if (i + 1 < all.size() && std::isdigit(static_cast<unsigned char>(all[i + 1][0])) != 0) {
        name += " " + all[i + 1];
      }
      if (name != place) {
        found.push_back(name);
      }
    }
    return found;
  }

  [[nodiscard]] bool agree(std::vector<std::string> one, std::vector<std::string> other) const {
    if (!has_own_order_) {
      std::ranges::sort(one);
      std::ranges::sort(other);
    }
    return one == other;
  }

  /// What left the hands lies at the end of the list here; what came into them is gone from it.
  void carry(const std::string& at, const std::vector<std::string>& held) {
    for (const std::string& item : held_) {
      if (std::ranges::count(held, item) == 0) {
        contents_[at].push_back(item);
      }
    }
    for (const std::string& item : held) {
      if (std::ranges::count(held_, item) == 0) {
        std::erase(contents_[at], item);
      }
    }
    held_ = held;
  }

  std::set<std::string> names_;
  bool has_own_order_;
  std::map<std::string, std::vector<std::string>> contents_;
  std::vector<std::string> held_;
  std::string at_;
};

TEST(InventedCorpus, ListsOnARevisitWhatWasThereMinusTakenPlusPut) {
  for (const WorldKind kind : {WorldKind::kHouses, WorldKind::kRooms, WorldKind::kPassages}) {
    ListChecker checker(NamePool(), kind != WorldKind::kHouses);
    InventedCorpus corpus(only(kind), 11);
    int checked = 0;
    for (int i = 0; i < 100; ++i) {
      const Trajectory trajectory = corpus.next();
      const int result = checker.check(trajectory);
      ASSERT_GE(result, 0) << trajectory.episode_id;
      checked += result;
    }
    EXPECT_GT(checked, 100) << world_kind_name(kind);
  }
}

TEST(InventedCorpus, UsesEveryNameAboutEquallyOften) {
  InventedCorpus corpus({}, 12);
  const NamePool pool;
  std::map<std::string, int> trajectories_with;
  for (int i = 0; i < 600; ++i) {
    const Trajectory trajectory = corpus.next();
    std::string text = trajectory.steps.front().observation.text;
    for (const Transition& step : trajectory.steps) {
      text += " " + step.next_observation.text;
    }
    std::ranges::replace_if(
        text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; }, ' ');
    const std::vector<std::string> all = words(text);
    for (const std::string& word : std::set(all.begin(), all.end())) {
      ++trajectories_with[word];
    }
  }
  for (const std::string& name : pool.names()) {
    EXPECT_GT(trajectories_with[name], 5) << name;
    EXPECT_LT(trajectories_with[name], 70) << name;
  }
}

TEST_P(EveryKind, GivesSiblingsTheSameTaskAndPlace) {
  const InventedCorpus corpus(only(kind()), 15);
  int differing = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Trajectory first = corpus.at(i);
    const Trajectory second = corpus.at(i, 1);
    EXPECT_EQ(first.task, second.task);
    EXPECT_EQ(first.steps.front().observation, second.steps.front().observation);
    EXPECT_NE(first.episode_id, second.episode_id);
    differing += first.steps == second.steps ? 0 : 1;
  }
  EXPECT_GT(differing, 4);
}

TEST(InventedCorpus, MixesKindsByTheirWeights) {
  CorpusConfig config = only(WorldKind::kShop);
  config.weights[static_cast<std::size_t>(WorldKind::kEcho)] = 3;
  InventedCorpus corpus(config, 13);
  std::map<std::string, int> counts;
  for (int i = 0; i < 400; ++i) {
    ++counts[corpus.next().task.source];
  }
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_NEAR(counts["invented/echo"], 300, 40);
}

TEST(InventedCorpus, CallsOnlyExpertSuccessesOutsideDrillsDemonstrations) {
  InventedCorpus corpus({}, 14);
  int demonstrations = 0;
  for (int i = 0; i < 300; ++i) {
    const Trajectory trajectory = corpus.next();
    if (is_demonstration(trajectory)) {
      ++demonstrations;
      EXPECT_TRUE(trajectory.success());
      EXPECT_EQ(trajectory.policy_version, "expert");
      EXPECT_NE(trajectory.task.source, "invented/echo");
    }
  }
  EXPECT_GT(demonstrations, 60);
}

TEST(InventedCorpus, RefusesWeightsThatCannotBeDrawnFrom) {
  EXPECT_THROW(InventedCorpus({.weights = {}}, 0), Error);
  EXPECT_THROW(InventedCorpus({.weights = std::vector<double>(kNumWorldKinds, 0)}, 0), Error);
  EXPECT_THROW(InventedCorpus({.weights = {1, 1, 1, -1, 1, 1, 1, 1}}, 0), Error);
}

}  // namespace
}  // namespace dreamgym::invented
