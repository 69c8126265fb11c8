#include "dreamgym/worlds/webshop/session.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/internal/fuzzy_match.h"

namespace dreamgym::webshop {
namespace {

Product boots(const std::string& asin, const std::string& title) {
  return {.asin = asin,
          .title = title,
          .description = "",
          .bullets = {"", "Warm <b> & dry"},
          .category = "fashion",
          .query = "men's boots",
          .product_category = "Shoes › Men › Boots",
          .main_image = "i.jpg",
          .prices = {20},
          .price_tag = "$20.0",
          .options = {{"color", {"red", "next >", "5\"", "wine\u00a0red"}}, {"size", {"9", "red"}}},
          .attributes = {"rubber sole"}};
}

std::shared_ptr<const Shop> small_shop() {
  std::vector<Product> products = {boots("B000000001", "Item_page boots"),
                                   boots("b000000002", "lower case boots")};
  for (int i = 10; i < 30; ++i) {
    products.push_back(boots("C0000000" + std::to_string(i), "Sandal & <shoe>"));
  }
  return std::make_shared<const Shop>(
      std::make_shared<const Catalogue>(products), GoalOptions{}, NounLists());
}

Goal red_boots() {
  return {.asin = "B000000001",
          .query = "men's boots",
          .name = "Item_page boots",
          .product_category = "Shoes › Men › Boots",
          .instruction = "red boots",
          .attributes = {"rubber sole"},
          .options = {{"", "red"}},
          .price_upper = 30};
}

class ShopSession : public testing::Test {
 protected:
  bool act(std::string_view action) { return session_.act(action); }
  [[nodiscard]] std::string url() const {
    return session_.state().url.substr(std::string_view("http://127.0.0.1:3000/").size());
  }
  [[nodiscard]] std::string text() const {
    return render(session_.shop(), session_.state(), ObservationMode::kText);
  }
  [[nodiscard]] std::string rich() const {
    return render(session_.shop(), session_.state(), ObservationMode::kTextRich);
  }

  Session session_{small_shop(), "7", red_boots(), 1};
};

TEST_F(ShopSession, ChangesNothingForWhatIsNotPossible) {
  for (const char* action : {"",
                             "search",
                             "search[]",
                             "click[search]",
                             "click[nothing]",
                             "jump[red]",
                             " search[x]",
                             "search[<a> rubber sole]",
                             "search[<c>]",
                             "search[<r>]"}) {
    EXPECT_FALSE(act(action)) << action;
    EXPECT_EQ(url(), "7") << action;
  }
}

TEST_F(ShopSession, SearchesOnAnyPageInLowerCase) {
  EXPECT_TRUE(act("search[Item_Page  Boots]"));
  EXPECT_EQ(url(), "search_results/7/item_page++boots/1");
  EXPECT_TRUE(act("click[B000000001]"));
  EXPECT_TRUE(act("search[sandal]"));
  EXPECT_EQ(url(), "search_results/7/sandal/1");
  EXPECT_TRUE(contains(text(), "Page 1 (Total results: 20)"));
}

TEST_F(ShopSession, TurnsPagesWithoutAnEnd) {
  act("search[sandal]");
  EXPECT_FALSE(act("click[< prev]"));
  act("click[next >]");
  EXPECT_EQ(session_.state().on_page.size(), 10U);
  act("click[Next >]");
  act("click[next >]");
  EXPECT_EQ(url(), "search_results/7/sandal/4");
  EXPECT_TRUE(session_.state().on_page.empty());
  act("click[< prev]");
  EXPECT_EQ(url(), "search_results/7/sandal/3");
}

TEST_F(ShopSession, IsFooledByAUrlThatHoldsAPagesName) {
  act("search[item_page]");
  act("click[b000000001]");
  act("click[features]");
  act("click[< prev]");  // to the original the url is an item page's, not a sub page's
  EXPECT_EQ(url(), "search_results/7/item_page/1");
  act("search[search_results boots]");
  act("click[b000000001]");
  act("click[< prev]");
  EXPECT_EQ(url(), "search_results/7/search_results+boots/0");
  EXPECT_TRUE(session_.state().on_page.empty());
}

TEST_F(ShopSession, TakesAnOptionThatIsNamedLikeAButton) {
  act("search[boots]");
  act("click[b000000001]");
  EXPECT_TRUE(act("click[next >]"));
  EXPECT_TRUE(url().ends_with("/1/{\"color\": \"next >\"}")) << url();
  act("click[red]");  // stands in both groups: the last one counts
  EXPECT_TRUE(url().ends_with("{\"color\": \"next >\", \"size\": \"red\"}")) << url();
  EXPECT_TRUE(contains(rich(), "  [clicked button] red [clicked button_]"));
  EXPECT_TRUE(rich().starts_with("You have clicked red.\n")) << rich();
}

TEST_F(ShopSession, DoesNotSeeThatAQuotedOptionIsChosen) {
  act("search[boots]");
  act("click[b000000001]");
  act("click[5\"]");
  EXPECT_TRUE(url().ends_with("{\"color\": \"5\\\"\"}")) << url();
  EXPECT_TRUE(contains(rich(), "  [button] 5\" [button_]"));
  act("click[wine\u00a0red]");
  act("click[description]");
  EXPECT_TRUE(url().ends_with("/Description/{'color': 'wine\\xa0red'}")) << url();
}

TEST_F(ShopSession, ShowsAnEmptyBulletAsAnEmptyField) {
  act("search[boots]");
  act("click[b000000001]");
  act("click[features]");
  EXPECT_TRUE(text().ends_with("< Prev [SEP]  [SEP] Warm <b> & dry")) << text();
  EXPECT_TRUE(rich().ends_with("[button] < Prev [button_]\n \n Warm <b> & dry\n")) << rich();
}

TEST_F(ShopSession, CannotOpenAnAsinInLowerCase) {
  act("search[boots]");
  EXPECT_TRUE(contains(text(), "b000000002"));
  EXPECT_FALSE(act("click[b000000002]"));
}

TEST_F(ShopSession, FindsByCategoryAndQuery) {
  EXPECT_TRUE(act("search[<c> fashion]"));
  EXPECT_EQ(session_.state().num_results, 22U);
  EXPECT_TRUE(act("search[<q> men's boots]"));
  EXPECT_EQ(session_.state().num_results, 22U);
  EXPECT_TRUE(act("search[<q> boots]"));
  EXPECT_EQ(session_.state().num_results, 0U);
}

TEST_F(ShopSession, EndsWithThePurchase) {
  act("search[boots]");
  act("click[b000000001]");
  act("click[red]");
  EXPECT_TRUE(act("click[Buy Now]"));
  EXPECT_TRUE(session_.done());
  EXPECT_EQ(session_.state().reward.reward, 1);
  EXPECT_TRUE(contains(text(), "[SEP] 1.0 [SEP] Reward Details"));
  EXPECT_TRUE(session_.clickables().empty());
  EXPECT_THROW(act("search[boots]"), LogicError);
}

TEST(ParseAction, SplitsAtTheLastBracketThatFits) {
  const auto is = [](std::string_view action, std::string_view name, std::string_view argument) {
    const ParsedAction parsed = parse_action(action);
    EXPECT_EQ(parsed.name, name);
    EXPECT_EQ(parsed.argument, argument);
  };
  is("search[A b]", "search", "a b");
  is("click[a[b]", "click[a", "b");
  is("click[a[]", "click", "a[");
  is("click[a] and more]", "click", "a] and more");
  is("click[a", "click[a", "");
  is("[a]", "[a]", "");
  is("click[]", "click[]", "");
  is("click[]]", "click", "]");
  is("click[a\nb]", "click[a\nb]", "");
}

TEST(Color, IsTheFirstOneInTheText) {
  EXPECT_EQ(normalize_color("wine red"), "red");
  EXPECT_EQ(normalize_color("x-large"), "x-large");
  EXPECT_EQ(normalize_color("tantalum"), "tan");
}

TEST(FuzzyMatch, ScoresAsTheFuzzDoes) {
  EXPECT_EQ(token_set_ratio("('size', 'x-large')", "large"), 100);
  EXPECT_EQ(token_set_ratio("", "a"), 0);
  EXPECT_EQ(token_set_ratio("dry skin", "skin dry!"), 100);
  EXPECT_EQ(token_set_ratio("machine wash", "machine washable"), 86);
  EXPECT_EQ(token_set_ratio("caf\u00e9", "caf"), 100);
  EXPECT_NEAR(sequence_ratio("abxcd", "abcd"), 8.0 / 9.0, 1e-12);
}

TEST(Doors, AnswerLineByLineAndNameWhatIsWrong) {
  const auto shop = small_shop();
  EXPECT_TRUE(
      answer_search(*shop, R"({"query":"item_page"})").starts_with(R"({"hits":[["B000000001",)"));
  EXPECT_EQ(answer_search(*shop, R"({"query":"zzz"})"), R"({"hits":[]})");
  const std::string line = R"({"goal":)" + goal_to_json(red_boots()) +
                           R"(,"asin":"B000000001","options":{"color":"red"},"price":40})";
  EXPECT_TRUE(contains(answer_reward(*shop, line), R"("r_option":1.0,)"));
  EXPECT_TRUE(contains(answer_reward(*shop, line), R"("r_price":false)"));
  EXPECT_EQ(goal_from_json(goal_to_json(red_boots())), red_boots());
  for (const char* bad : {"", "3", "{}", R"({"query":3})"}) {
    EXPECT_THROW(answer_search(*shop, bad), Error) << bad;
    EXPECT_THROW(answer_reward(*shop, bad), Error) << bad;
  }
  EXPECT_THROW(
      answer_reward(
          *shop,
          replace_all(line, "\"asin\":\"B000000001\",\"options\"", "\"asin\":\"Z\",\"options\"")),
      Error);
}

}  // namespace
}  // namespace dreamgym::webshop
