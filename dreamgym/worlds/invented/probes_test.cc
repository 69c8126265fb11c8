#include "dreamgym/worlds/invented/probes.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym::invented {
namespace {

const ProbeOptions kFew = {.count = 8};

TEST(CountPieces, CountsWordsDigitsAndMarks) {
  EXPECT_EQ(count_pieces("You see a vilk 12, and nothing."), 9U + 1U);
  EXPECT_EQ(count_pieces(""), 0U);
}

TEST(Probes, AreTheSameForTheSameSeed) {
  const std::vector<Probe> probes = make_probes(Ability::kCopy, kFew, 3);
  const std::vector<Probe> again = make_probes(Ability::kCopy, kFew, 3);
  ASSERT_EQ(probes.size(), 8U);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EXPECT_EQ(probes[i].episode, again[i].episode);
  }
  EXPECT_NE(make_probes(Ability::kCopy, kFew, 4)[0].episode, probes[0].episode);
}

TEST(CopyProbes, ExpectANameThatTheActionNames) {
  for (const Probe& probe : make_probes(Ability::kCopy, kFew, 1)) {
    const Transition& step = probe.episode.steps.back();
    EXPECT_EQ(probe.expected, step.next_observation.text);
    bool repeats = false;
    for (const std::string& word : words(step.action)) {
      repeats = repeats || (word.size() >= 5 && contains(probe.expected, word));
    }
    EXPECT_TRUE(repeats) << step.action << " => " << probe.expected;
  }
}

TEST(RecallProbes, AskForAListShownLongBeforeAndNotSince) {
  const ProbeOptions options{.count = 4};
  for (const Probe& probe : make_probes(Ability::kRecall, options, 1)) {
    EXPECT_GE(probe.distance, options.recall_distance);
    EXPECT_LE(probe.length, options.most_pieces);
    const std::vector<Transition>& steps = probe.episode.steps;
    const auto last = parse_reasoning_trace(steps.back().reasoning_trace);
    EXPECT_EQ(last->find("effect"), effects::kAgain);
    std::size_t pieces_since_shown = 0;
    bool was_shown = false;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const auto trace = parse_reasoning_trace(steps[i].reasoning_trace);
      const auto effect = trace->find("effect");
      const bool shows = trace->find("at") == last->find("at") &&
                         (effect == effects::kNew || effect == effects::kAgain);
      was_shown = was_shown || shows;
      pieces_since_shown += count_pieces(steps[i].action) + count_pieces(steps[i].reasoning_trace) +
                            count_pieces(steps[i].next_observation.text);
      pieces_since_shown = shows ? 0 : pieces_since_shown;
    }
    EXPECT_TRUE(was_shown);
    EXPECT_GE(pieces_since_shown + count_pieces(steps.back().action), options.recall_distance);
  }
}

TEST(TrackingProbes, AskForTheTraceWhileSomethingHasBeenHeldForAWhile) {
  for (const Probe& probe : make_probes(Ability::kTracking, kFew, 1)) {
    const std::vector<Transition>& steps = probe.episode.steps;
    EXPECT_TRUE(probe.asks_trace);
    EXPECT_EQ(probe.expected, steps.back().reasoning_trace);
    ASSERT_GE(steps.size(), 4U);
    const auto held = parse_reasoning_trace(probe.expected)->find("hold");
    EXPECT_NE(held, "nothing");
    for (std::size_t back = 2; back <= 4; ++back) {
      const Transition& earlier = steps[steps.size() - back];
      EXPECT_EQ(parse_reasoning_trace(earlier.reasoning_trace)->find("hold"), held);
    }
  }
}

TEST(Probes, RefuseOptionsWithoutRoomForAnAnswer) {
  EXPECT_THROW(make_probes(Ability::kCopy, {.count = 0}, 1), Error);
  EXPECT_THROW(make_probes(Ability::kRecall, {.recall_distance = 500, .most_pieces = 510}, 1),
               Error);
}

}  // namespace
}  // namespace dreamgym::invented
