#include "dreamgym/env/log_action_mapper.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

Trajectory log_of(const std::vector<std::string>& actions) {
  Trajectory episode;
  for (const std::string& action : actions) {
    episode.steps.emplace_back().action = action;
  }
  return episode;
}

std::vector<Trajectory> ticket_logs() {
  return {log_of({"list", "open ticket 4", "assign ticket 4 to user 2", "list"}),
          log_of({"list", "open ticket 7", "close"})};
}

using Texts = std::vector<std::string>;

Texts sorted(Texts texts) {
  std::ranges::sort(texts);
  return texts;
}

TEST(LogActionMapper, FillsPatternsWithWhatTheEpisodeHasNamed) {
  const auto mapper = make_log_action_mapper_factory(ticket_logs())->create();
  mapper->reset("give ticket 12 to user 5", "Welcome.");
  EXPECT_EQ(sorted(mapper->candidates()),
            (Texts{"assign ticket 12 to user 5", "close", "list", "open ticket 12"}));
  mapper->observe("list", "There is a ticket 3.");
  EXPECT_EQ(sorted(mapper->candidates()),
            (Texts{"assign ticket 12 to user 5",
                   "assign ticket 3 to user 5",
                   "close",
                   "list",
                   "open ticket 12",
                   "open ticket 3"}));
  mapper->reset("another", "Welcome.");
  EXPECT_EQ(sorted(mapper->candidates()), (Texts{"close", "list"}));
}

TEST(LogActionMapper, PutsFrequentPatternsFirstAndKeepsToItsLimit) {
  const auto mapper = make_log_action_mapper_factory(ticket_logs(), {.max_candidates = 2})->create();
  mapper->reset("see ticket 1, ticket 2 and ticket 3", "");
  EXPECT_EQ(mapper->candidates(), (Texts{"list", "open ticket 3"}));
}

TEST(LogActionMapper, LeavesRareAndInvalidActionsOut) {
  std::vector<Trajectory> logs = ticket_logs();
  logs[0].steps[3].action_valid = false;
  const auto mapper = make_log_action_mapper_factory(logs, {.min_count = 2})->create();
  mapper->reset("", "ticket 1");
  EXPECT_EQ(sorted(mapper->candidates()), (Texts{"list", "open ticket 1"}));
}

TEST(LogActionMapper, NeverOffersNothing) {
  const std::vector<Trajectory> logs = {log_of({"open ticket 4"})};
  const auto mapper = make_log_action_mapper_factory(logs)->create();
  mapper->reset("", "");
  EXPECT_EQ(mapper->candidates().size(), 1U);
}

TEST(LogActionMapper, NeedsAnAction) {
  EXPECT_THROW((void)make_log_action_mapper_factory({}), Error);
}

}  // namespace
}  // namespace dreamgym
