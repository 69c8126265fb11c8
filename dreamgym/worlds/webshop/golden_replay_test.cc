// Replays the original engine's own transcripts, rewards and searches.
#include <gtest/gtest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/session.h"
#include "tests/temporary_folder.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

fs::path golden(const std::string& name) {
  return real_data_folder() / "golden" / name;
}

/// The shop of a recording: "human" or "synthetic". Built once for all tests, from a mapped file.
const std::shared_ptr<const Shop>& recorded_shop(const std::string& goals) {
  static const TemporaryFolder cache;
  static std::map<std::string, std::shared_ptr<const Shop>> shops;
  auto& shop = shops[goals];
  if (!shop) {
    shop = load_shop({.data_folder = real_data_folder().string(),
                      .cache = cache.path().string(),
                      .prices = golden(goals + "_goal_prices.json").string(),
                      .nouns = golden("nouns.json").string(),
                      .goals = goal_kind_from_name(goals)});
  }
  return shop;
}

Goal goal_from(const Json& json) {
  return goal_from_json(json.dump());
}

/// Our goal of that number with the recording's price limit, which could not be drawn again.
Goal with_recorded_limit(Goal goal, const Goal& recorded) {
  const auto without_price = [](const std::string& text) {
    return text.substr(0, text.find(", and price lower than "));
  };
  EXPECT_EQ(without_price(goal.instruction), without_price(recorded.instruction));
  goal.instruction = recorded.instruction;
  goal.price_upper = recorded.price_upper;
  return goal;
}

void expect_reward(const Reward& reward, const Json& info) {
  constexpr double kTolerance = 1e-12;
  EXPECT_NEAR(reward.r_type, info["r_type"].get<double>(), kTolerance);
  EXPECT_NEAR(reward.r_att, info["r_att"].get<double>(), kTolerance);
  EXPECT_NEAR(reward.w_att, info["w_att"].get<double>(), kTolerance);
  EXPECT_EQ(reward.query_match, info["query_match"].get<bool>());
  EXPECT_EQ(reward.category_match, info["category_match"].get<bool>());
  EXPECT_NEAR(reward.title_score, info["title_score"].get<double>(), kTolerance);
  EXPECT_EQ(reward.r_option.has_value(), info.contains("r_option"));
  if (reward.r_option && info.contains("r_option")) {
    EXPECT_NEAR(*reward.r_option, info["r_option"].get<double>(), kTolerance);
    EXPECT_NEAR(reward.w_option, info["w_option"].get<double>(), kTolerance);
  }
  EXPECT_EQ(reward.r_price, info["r_price"].get<bool>());
  EXPECT_NEAR(reward.w_price, info["w_price"].get<double>(), kTolerance);
}

void expect_page(const Session& session, const Json& page, const std::string& mode) {
  const auto seen = [&](ObservationMode wanted) {
    return render(session.shop(), session.state(), wanted);
  };
  EXPECT_EQ(seen(observation_mode_from_name(mode)), page["observation"].get<std::string>());
  EXPECT_EQ(seen(ObservationMode::kText), page["text"].get<std::string>());
  EXPECT_EQ(seen(ObservationMode::kTextRich), page["text_rich"].get<std::string>());
  if (page.contains("html")) {
    EXPECT_EQ(seen(ObservationMode::kHtml), page["html"].get<std::string>());
  }
  EXPECT_EQ(session.state().url, page["url"].get<std::string>());
  EXPECT_EQ(session.state().page_kind == PageKind::kSearch, page["has_search_bar"].get<bool>());
  std::vector<std::string> names;
  for (const Clickable& clickable : session.clickables()) {
    names.push_back(clickable.name);
  }
  EXPECT_EQ(names, page["clickables"].get<std::vector<std::string>>());
}

struct Tally {
  std::size_t episodes = 0;
  std::size_t steps = 0;
  std::size_t html_pages = 0;
};

void replay(const Json& episode, const std::shared_ptr<const Shop>& shop, Tally& tally) {
  const auto number = episode["session"].get<std::size_t>();
  const Goal recorded = goal_from(episode["goal"]);
  const Goal goal = with_recorded_limit(shop->goals().goal(number), recorded);
  EXPECT_EQ(goal, recorded);
  Session session(shop, std::to_string(number), goal, 0);
  expect_page(session, episode["first"], episode["mode"]);
  for (const Json& step : episode["steps"]) {
    SCOPED_TRACE("step " + step["action"].dump());
    const SessionState before = session.state();
    session.act(step["action"].get<std::string>());
    ++tally.steps;
    if (step.contains("raises")) {
      EXPECT_EQ(session.state().url, before.url);
      continue;
    }
    expect_page(session, step, episode["mode"]);
    tally.html_pages += step.contains("html") ? 1 : 0;
    EXPECT_EQ(session.done(), step["done"].get<bool>());
    EXPECT_NEAR(session.state().reward.reward, step["reward"].get<double>(), 1e-12);
    if (step.contains("verbose_info")) {
      expect_reward(session.state().reward, step["verbose_info"]);
      EXPECT_EQ(shop->goals().price(session.state().product), step["price"].get<double>());
    }
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  ++tally.episodes;
}

class GoldenShop : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!fs::exists(golden(GetParam() + "_episodes.jsonl"))) {
      GTEST_SKIP() << "no data at " << golden("");
    }
  }
};

TEST_P(GoldenShop, HasTheRecordedGoals) {
  const Goals& goals = recorded_shop(GetParam())->goals();
  const Json table = Json::parse(read_file(golden(GetParam() + "_goal_prices.json")));
  EXPECT_EQ(goals.size(), table["n_goals"].get<std::size_t>());
  for (std::size_t i = 0; i < table["goals"].size(); ++i) {
    const Goal goal = goals.goal(i);
    EXPECT_EQ(goal.asin, table["goals"][i][0].get<std::string>());
    EXPECT_EQ(goal.price_upper, table["goals"][i][1].get<double>());
    EXPECT_EQ(goal.instruction, table["goals"][i][2].get<std::string>());
  }
}

TEST_P(GoldenShop, ShowsEveryPageOfTheTranscripts) {
  Tally tally;
  for_each_line(golden(GetParam() + "_episodes.jsonl"),
                [&](std::size_t number, std::string_view line) {
                  SCOPED_TRACE("line " + std::to_string(number));
                  replay(Json::parse(line), recorded_shop(GetParam()), tally);
                  return !HasFailure();
                });
  RecordProperty("steps", static_cast<int>(tally.steps));
  RecordProperty("html_pages", static_cast<int>(tally.html_pages));
  EXPECT_EQ(tally.episodes, GetParam() == "human" ? 20U : 40U);
}

TEST_P(GoldenShop, PaysTheRecordedRewards) {
  std::size_t count = 0;
  for_each_line(
      golden(GetParam() + "_rewards.jsonl"), [&](std::size_t number, std::string_view line) {
        SCOPED_TRACE("line " + std::to_string(number));
        const Json json = Json::parse(line);
        const Shop& shop = *recorded_shop(GetParam());
        const Goal goal = goal_from(json["goal"]);
        EXPECT_EQ(with_recorded_limit(shop.goals().goal(json["goal_index"]), goal), goal);
        std::vector<std::string> options;
        for (const auto& [name, value] : json["options"].items()) {
          options.push_back(value);
        }
        const ProductIndex bought = shop.catalogue().find(json["asin"].get<std::string>()).value();
        const Product product = shop.catalogue().product(bought);
        const Reward reward = get_reward(
            {.product = product, .options = options, .price = json["price"].get<double>()},
            goal,
            shop.nouns().find(product.asin, product.title),
            shop.nouns().find(goal.asin, goal.name));
        EXPECT_NEAR(reward.reward, json["reward"].get<double>(), 1e-12);
        expect_reward(reward, json["info"]);
        ++count;
        return !HasFailure();
      });
  EXPECT_EQ(count, 250U);
}

INSTANTIATE_TEST_SUITE_P(Recordings,
                         GoldenShop,
                         testing::Values("human", "synthetic"),
                         [](const auto& recording) { return recording.param; });

/// A logged state without the blanks at its ends and the warnings the logging program printed.
std::string clean_state(const std::string& state) {
  return std::string(trim(std::string_view(state).substr(0, state.find("\n\n/home/"))));
}

/// Replays an episode of an agent's log. @return  the number of its steps.
std::size_t replay_log(const Json& episode, const std::shared_ptr<const Shop>& shop) {
  Goal goal = shop->goals().goal(0);  // only its sentence is shown before the end
  goal.instruction = episode["task"].get<std::string>();
  Session session(shop, "0", goal, 0);
  const auto expect_state = [&](const Json& state) {
    EXPECT_EQ(trim(render(*shop, session.state(), ObservationMode::kTextRich)),
              clean_state(state.get<std::string>()));
  };
  std::size_t steps = 0;
  for (const Json& step : episode["steps"]) {
    SCOPED_TRACE("step " + step["action"].dump());
    expect_state(step["state"]);
    session.act(step["action"].get<std::string>());
    ++steps;
    if (session.done()) {
      EXPECT_TRUE(step["done"].get<bool>());
      break;
    }
    expect_state(step["next_state"]);
  }
  return steps;
}

/// True if every product shown in the results is in the catalogue.
bool is_of_catalogue(const Json& episode, const Catalogue& catalogue) {
  bool any = false;
  for (const Json& step : episode["steps"]) {
    for (const std::string& line : split(step["next_state"].get<std::string>(), '\n')) {
      std::string_view asin = line;
      const bool shown = consume_prefix(asin, "[button] B0") && line.ends_with(" [button_]") &&
                         line.size() == std::string_view("[button] B012345678 [button_]").size();
      if (shown && !catalogue.find(std::string_view(line).substr(9, 10))) {
        return false;
      }
      any = any || shown;
    }
  }
  return any;
}

TEST(GoldenLogs, ShowEveryPageOfTheLogsTheCatalogueCanReplay) {
  const fs::path log = real_data_folder() / "logs" / "episodes.jsonl";
  if (!fs::exists(log)) {
    GTEST_SKIP() << "no data at " << log;
  }
  const auto& shop = recorded_shop("human");
  std::size_t episodes = 0;
  std::size_t steps = 0;
  for_each_line(log, [&](std::size_t number, std::string_view line) {
    SCOPED_TRACE("line " + std::to_string(number));
    const Json episode = Json::parse(line);
    if (episode["format"] == "text_rich" && is_of_catalogue(episode, shop->catalogue())) {
      steps += replay_log(episode, shop);
      ++episodes;
    }
    return true;
  });
  RecordProperty("steps", static_cast<int>(steps));
  EXPECT_EQ(episodes, 17U);
}

TEST(GoldenSearch, RanksAsTheOriginalIndexDoes) {
  if (!fs::exists(golden("search.jsonl"))) {
    GTEST_SKIP() << "no data at " << golden("");
  }
  const Shop& shop = *recorded_shop("human");
  EXPECT_EQ(shop.index().num_documents(), 1000U);
  EXPECT_EQ(shop.index().num_tokens(), 107608U);
  EXPECT_EQ(shop.index().num_terms(), 12074U);
  std::size_t queries = 0;
  std::size_t swaps = 0;
  for_each_line(golden("search.jsonl"), [&](std::size_t number, std::string_view line) {
    SCOPED_TRACE("line " + std::to_string(number));
    const Json json = Json::parse(line);
    const auto hits = shop.index().search(json["query"].get<std::string>(), 50);
    EXPECT_EQ(hits.size(), json["hits"].size()) << json["query"];
    for (std::size_t i = 0; i < std::min(hits.size(), json["hits"].size()); ++i) {
      const std::string_view asin = shop.catalogue().asin(hits[i].document);
      EXPECT_NEAR(hits[i].score, json["hits"][i][1].get<double>(), 2e-4) << json["query"] << i;
      swaps += asin == json["hits"][i][0].get<std::string>() ? 0 : 1;
    }
    ++queries;
    return !HasFailure();
  });
  EXPECT_EQ(queries, 200U);
  EXPECT_EQ(swaps, 0U);
}

}  // namespace
}  // namespace dreamgym::webshop
