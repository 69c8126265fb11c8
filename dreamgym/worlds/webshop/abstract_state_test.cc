#include "dreamgym/worlds/webshop/abstract_state.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/collect.h"
#include "dreamgym/worlds/webshop/episode_reader.h"
#include "dreamgym/worlds/webshop/webshop_world.h"

namespace dreamgym::webshop {
namespace {

constexpr const char* kInstruction =
    "i need a silent mouse in black, and price lower than 30.00 dollars";

std::string page(const std::string& rest) {
  return std::string("Instruction: [SEP] ") + kInstruction + " [SEP] Back to Search [SEP] " + rest;
}

class AbstractShop : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(mapper_.reset(kInstruction,
                            std::string("WebShop [SEP] Instruction: [SEP] ") + kInstruction +
                                " [SEP] Search"),
              "search page");
  }
  std::string take(const std::string& action, const std::string& observation) {
    return mapper_.observe(action, true, observation);
  }
  std::string search() {
    return take("search[mouse]",
                page("Page 1 (Total results: 2) [SEP] Next > [SEP] B000000001 [SEP] Acme Silent "
                     "Mouse, Black [SEP] $12.2 [SEP] B000000002 [SEP] Acme Mouse Pad [SEP] $62.0"));
  }
  std::string open() {
    return take("click[b000000001]",
                page("< Prev [SEP] color [SEP] black, matte [SEP] white [SEP] Acme Silent Mouse, "
                     "Black [SEP] Price: $12.2 [SEP] Rating: N.A. [SEP] Description [SEP] Features "
                     "[SEP] Reviews [SEP] Buy Now"));
  }
  AbstractState mapper_;
};

TEST_F(AbstractShop, ShowsResultsAsNumberedCleanTitlesWithPrices) {
  EXPECT_EQ(search(), "page 1: item 1 silent mouse black $13, item 2 mouse pad $62 too dear");
  EXPECT_EQ(mapper_.from_world("click[b000000001]"), "open item 1");
  EXPECT_EQ(mapper_.to_world("open item 2"), "click[b000000002]");
}

TEST_F(AbstractShop, NamesElementsOfAnItemAndMapsThemBack) {
  search();
  EXPECT_EQ(open(), "item 1 silent mouse black $13; color: black matte, white");
  EXPECT_EQ(mapper_.to_world("choose black matte"), "click[black, matte]");
  EXPECT_EQ(mapper_.from_world("click[black, matte]"), "choose black matte");
  EXPECT_EQ(mapper_.to_world("read features"), "click[features]");
  EXPECT_EQ(mapper_.to_world("back"), "click[< prev]");
  EXPECT_EQ(mapper_.to_world("new search"), "click[back to search]");
  EXPECT_EQ(mapper_.to_world("buy"), "click[buy now]");
  EXPECT_EQ(mapper_.to_world("search a b"), "search[a b]");
}

TEST_F(AbstractShop, SaysBrieflyWhatHasBeenShown) {
  search();
  open();
  const std::string item =
      page("< Prev [SEP] color [SEP] black, matte [SEP] white [SEP] Acme Silent Mouse, Black [SEP] "
           "Price: $12.2 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy "
           "Now");
  EXPECT_EQ(take("click[black, matte]", item), "chosen: black matte");
  EXPECT_EQ(take("click[features]", page("< Prev [SEP] Two Buttons [SEP] Silent; Clicks")),
            "features: two buttons, silent clicks");
  EXPECT_EQ(take("click[< prev]", item), "back at item 1");
  EXPECT_EQ(mapper_.observe("click[nonsense]", false, item), "nothing happens");
}

TEST_F(AbstractShop, LeavesOtherTextAsItIs) {
  EXPECT_EQ(mapper_.to_world("dance"), "dance");
  EXPECT_EQ(mapper_.to_world(""), "");
  EXPECT_EQ(mapper_.to_world("open item "), "open item ");
  EXPECT_EQ(mapper_.from_world("dance[wildly]"), "dance[wildly]");
}

TEST_F(AbstractShop, ReadsThePagesOfReActLogs) {
  AbstractState mapper;
  mapper.reset(kInstruction, std::string("\nWebshop \nInstruction:  \n") + kInstruction + " \n[Search] ");
  EXPECT_EQ(mapper.observe("search[mouse]",
                           true,
                           "\n[Back to Search] \nPage 1 (Total results: 50) \n[Next >] \n[B000000001] "
                           "\nAcme Silent Mouse \n$12.2 "),
            "page 1: item 1 silent mouse $13");
  EXPECT_EQ(mapper.observe("click[B000000001]",
                           true,
                           "\n[Back to Search] \n[< Prev] \ncolor [black][blue]\nAcme Silent Mouse "
                           "\nPrice: $12.2 \nRating: N.A. \n[Description] \n[Features] \n[Reviews] \n[Buy "
                           "Now] "),
            "item 1 silent mouse $13; color: black, blue");
  EXPECT_EQ(mapper.observe("click[black]",
                           true,
                           "\n[Back to Search] \n[< Prev] \ncolor [black][blue]\nAcme Silent Mouse "
                           "\nPrice: $12.2 \nRating: N.A. \n[Description] \n[Features] \n[Reviews] \n[Buy "
                           "Now] "),
            "chosen: black");
  EXPECT_EQ(mapper.observe("click[blue]", true, "You have clicked blue. "), "chosen: blue");
  EXPECT_EQ(mapper.observe("click[Buy Now]", true, "Your score (min 0.0, max 1.0): 0.6"),
            "bought item 1 with blue");
}

TEST_F(AbstractShop, RefusesEpisodesWithoutPages) {
  AbstractState mapper;
  EXPECT_THROW(mapper.reset(kInstruction, R"({"page": "index"})"), Error);
}

// One shop, one language: a log of the shop's own pages, mapped, is the episode played abstractly.
TEST(AbstractLogs, AreTheEpisodesPlayedAbstractly) {
  const auto world = make_webshop_world();
  for (const char* mode : {"text", "text_rich"}) {
    std::vector<Trajectory> logs =
        collect(*world,
                {.tasks = {.count = 60, .extra = {{"mode", mode}}},
                 .policy = PolicyKind::kRandom,
                 .max_steps = 30});
    const auto mapper =
        world->make_state_mapper({.extra = {{"mode", "abstract"}}});
    const auto environment = world->make_environment();
    for (Trajectory& log : logs) {
      const Trajectory before = log;
      map_trajectory(*mapper, log);
      Task task = log.task;
      task.settings["mode"] = "abstract";
      EXPECT_EQ(environment->reset(task, log.seed).text, log.steps.front().observation.text);
      for (std::size_t i = 0; i < log.steps.size(); ++i) {
        const StepResult real = environment->step(log.steps[i].action);
        EXPECT_EQ(real.observation.text, log.steps[i].next_observation.text);
        EXPECT_EQ(real.reward, before.steps[i].reward);
      }
    }
  }
}

TEST(AbstractEpisodes, OfferOnlyActionsThatTheShopCarriesOut) {
  const auto world = make_webshop_world();
  const auto environment = world->make_environment();
  std::size_t num_candidates = 0;
  for (const PolicyKind kind : {PolicyKind::kExpert, PolicyKind::kRandom}) {
    for (const Trajectory& episode :
         collect(*world,
                 {.tasks = {.count = 100, .extra = {{"mode", "abstract"}}},
                  .policy = kind,
                  .max_steps = 20})) {
      EpisodeReader reader;
      reader.reset(episode.task.instruction, episode.steps.front().observation.text);
      for (const Transition& step : episode.steps) {
        EXPECT_TRUE(step.action_valid) << step.action;
        EXPECT_EQ(reader.candidates(), step.observation.admissible);
        num_candidates += step.observation.admissible.size();
        reader.observe(step.action, step.next_observation.text);
      }
    }
  }
  EXPECT_GT(num_candidates, 5000U);
}

TEST(AbstractEpisodes, ExpertDoesAsWellAsOnTheShopsOwnPages) {
  const auto world = make_webshop_world();
  std::size_t successes[2] = {0, 0};
  for (const bool abstract_pages : {false, true}) {
    for (const Trajectory& episode : collect(
             *world,
             {.tasks = {.count = 200, .extra = {{"mode", abstract_pages ? "abstract" : "text"}}},
              .policy = PolicyKind::kExpert,
              .max_steps = 15})) {
      successes[abstract_pages ? 1 : 0] += episode.success() ? 1 : 0;
    }
  }
  EXPECT_GE(successes[1] + 6, successes[0]);
}

TEST(AbstractTraces, AreEqualExactlyOnFullReward) {
  const auto world = make_webshop_world();
  std::size_t purchases = 0;
  for (const Trajectory& episode :
       collect(*world,
               {.tasks = {.count = 200, .extra = {{"mode", "abstract"}}},
                .policy = PolicyKind::kNoisy,
                .noise = 0.3,
                .max_steps = 20,
                .explain = true})) {
    for (const Transition& step : episode.steps) {
      const auto trace = parse_reasoning_trace(step.reasoning_trace);
      ASSERT_TRUE(trace.has_value()) << step.reasoning_trace;
      if (step.terminated) {
        ++purchases;
        EXPECT_EQ(wanted_is_reached(*trace), step.reward >= 1) << step.reasoning_trace;
      }
    }
  }
  EXPECT_GT(purchases, 100U);
}

}  // namespace
}  // namespace dreamgym::webshop
