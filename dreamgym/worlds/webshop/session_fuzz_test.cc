// What nobody types on purpose: a session takes it or stays as it is.
#include <gtest/gtest.h>

#include <memory>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/base/utf8.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/random_actions.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/text_audit.h"

namespace dreamgym::webshop {
namespace {

constexpr ObservationMode kModes[] = {
    ObservationMode::kText, ObservationMode::kTextRich, ObservationMode::kHtml};

std::shared_ptr<const Shop> some_shop() {
  static const auto shop = generate_shop({.num_products = 120}, GoalKind::kHuman);
  return shop;
}

Session some_session(std::size_t number) {
  const auto shop = some_shop();
  return {shop, std::to_string(number), shop->goals().goal(number % shop->goals().size()), number};
}

TEST(ShopFuzz, AnyActionIsTakenOrChangesNothing) {
  Rng rng(5);
  std::size_t taken = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    Session session = some_session(round);
    for (int step = 0; step < 40 && !session.done(); ++step) {
      const std::string action = random_action(session, rng);
      const std::string url = session.state().url;
      if (session.act(action)) {
        ++taken;
      } else {
        ASSERT_EQ(session.state().url, url) << action;
      }
      for (const ObservationMode mode : kModes) {
        ASSERT_FALSE(render(session.shop(), session.state(), mode).empty()) << action;
      }
    }
  }
  EXPECT_GT(taken, 3000U);
}

TEST(ShopFuzz, ManyLiveSessionsDoNotDisturbEachOther) {
  constexpr std::size_t kSessions = 500;
  const auto play = [](Session& session, std::size_t number, std::size_t step) {
    Rng rng = Rng(number).fork("step", step);
    if (!session.done()) {
      session.act(random_action(session, rng));
    }
  };
  std::vector<Session> together;
  for (std::size_t i = 0; i < kSessions; ++i) {
    together.push_back(some_session(i));
  }
  for (std::size_t step = 0; step < 20; ++step) {
    for (std::size_t i = 0; i < kSessions; ++i) {
      play(together[i], i, step);
    }
  }
  for (std::size_t i = 0; i < kSessions; ++i) {
    Session alone = some_session(i);
    for (std::size_t step = 0; step < 20; ++step) {
      play(alone, i, step);
    }
    ASSERT_EQ(alone.state().url, together[i].state().url) << i;
  }
}

TEST(ShopFuzz, TakesAQueryOfAMegabyte) {
  Session session = some_session(0);
  std::string query(session.shop().catalogue().title(0));
  while (query.size() < (1U << 20U)) {
    query += " boots] \xff";
  }
  EXPECT_TRUE(session.act("search[" + query + "]"));
  EXPECT_GT(session.state().num_results, 0U);
  EXPECT_GT(render(session.shop(), session.state(), ObservationMode::kHtml).size(), query.size());
  EXPECT_TRUE(session.act("click[back to search]"));
  EXPECT_TRUE(session.act("search[" + std::string(1U << 20U, 'w') + "]"));
  EXPECT_EQ(session.state().num_results, 0U);
}

TEST(ShopFuzz, TakesAQueryOfEveryUnicodePlane) {
  Session session = some_session(0);
  std::string query(session.shop().catalogue().title(0));
  for (char32_t plane = 0; plane <= 16; ++plane) {
    for (const char32_t low : {0x41, 0x3042, 0xe000, 0xfffd, 0xfffe}) {
      append_utf8(query, plane * 0x10000 + low);
    }
  }
  EXPECT_TRUE(session.act("search[" + query + "]"));
  EXPECT_GT(session.state().num_results, 0U);
  for (const ObservationMode mode : kModes) {
    EXPECT_FALSE(render(session.shop(), session.state(), mode).empty());
  }
}

TEST(ShopFuzz, ShowsAPageOfAnyNumber) {
  Session session = some_session(0);
  session.act("search[shoes]");
  SessionState state = session.state();
  state.page_number = 1'000'000'000'000;
  state.on_page.clear();
  EXPECT_TRUE(contains(render(session.shop(), state, ObservationMode::kText),
                       "Page 1000000000000 (Total results: "));
  EXPECT_TRUE(page_url(session.shop(), state).ends_with("/1000000000000"));
  EXPECT_EQ(list_clickables(session.shop(), state).size(), 3U);
  const PageView view = read_page(render(session.shop(), state, ObservationMode::kText));
  EXPECT_EQ(view.page_number, 1'000'000'000'000U);
}

/// A dreamed page can say anything; reading and auditing it must not fail.
TEST(ShopFuzz, ReadsAnyPage) {
  const std::vector<std::string> pieces = {" [SEP] ",
                                           "Instruction:",
                                           "Back to Search",
                                           "Page 1 (Total results: 50)",
                                           "Page 99999999999999999999",
                                           "Next >",
                                           "< Prev",
                                           "G123456789",
                                           "$",
                                           "Price: $3",
                                           "Buy Now",
                                           "Thank you for shopping with us!",
                                           "asin",
                                           "options",
                                           "{\"a\": 3}",
                                           "[1]",
                                           "\n",
                                           "[button] x [button_]",
                                           "[clicked button] ",
                                           "\xff",
                                           "You have clicked "};
  Rng rng(12);
  const auto text = [&] {
    std::string page;
    for (std::uint64_t i = rng.below(14); i > 0; --i) {
      page += rng.choose(pieces) + (rng.below(2) == 0 ? " [SEP] " : "");
    }
    return page;
  };
  const auto auditor = make_text_auditor();
  for (int round = 0; round < 3000; ++round) {
    Trajectory episode{.task = {.instruction = "shoes", .world = "webshop"},
                       .outcome = Outcome::kSuccess};
    for (int step = 0; step < 6; ++step) {
      const PageView view = read_page(text());
      const std::vector<std::string> names = clickable_names(view);
      episode.steps.push_back({.observation = {text()},
                               .action = rng.below(3) == 0 || names.empty()
                                             ? malformed_action(rng)
                                             : "click[" + rng.choose(names) + "]",
                               .next_observation = {text()}});
    }
    EXPECT_FALSE(auditor->audit(episode).success_confirmed);
  }
}

}  // namespace
}  // namespace dreamgym::webshop
