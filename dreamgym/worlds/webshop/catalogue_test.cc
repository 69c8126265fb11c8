#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/catalogue_files.h"
#include "dreamgym/worlds/webshop/goals.h"
#include "dreamgym/worlds/webshop/price_text.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "tests/temporary_folder.h"

namespace dreamgym::webshop {
namespace {

constexpr const char* kRest =
    R"(,"full_description":"d","category":"c","query":" Q ","product_category":"A › B",)"
    R"("small_description":"one","images":["i"])";

std::string entry(const std::string& fields) {
  return "{" + fields + kRest + "}";
}

class CatalogueFiles : public testing::Test {
 protected:
  void write(const std::string& items,
             const std::string& attributes = "{}",
             const std::string& human = "{}") const {
    write_file(folder_.path() / "items_shuffle.json", items);
    write_file(folder_.path() / "items_ins_v2.json", attributes);
    write_file(folder_.path() / "items_human_ins.json", human);
  }
  [[nodiscard]] Catalogue load() const { return load_catalogue(folder_.path()); }
  [[nodiscard]] std::string error() const {
    try {
      (void)load();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(CatalogueFiles, AreCleanedAsTheOriginalCleansThem) {
  write("[" +
            entry(R"("asin":"B1","name":"N","pricing":"$1,234.50 - $2","customization_options":)"
                  R"({"Color":[{"value":" A/B ","image":"x"},{"value":"C","image":null}],)"
                  R"("Size":null,"COLOR":[{"value":"D"}]})") +
            "," + entry(R"("asin":"B1","name":"again")") + "," +
            entry(R"("asin":"nan","name":"N")") + "," +
            entry(R"("asin":"B2345678901","name":"N")") + "," +
            entry(R"("asin":"B2","name":"M","pricing":"","customization_options":"")") + "]",
        R"({"B1":{"attributes":["soft"]},"B9":{"attributes":["x"]}})");
  const Catalogue catalogue = load();
  ASSERT_EQ(catalogue.size(), 2U);
  const Product first = catalogue.product(0);
  EXPECT_EQ(first.title, "N");
  EXPECT_EQ(first.query, "q");
  EXPECT_EQ(first.price_tag, "$1234.5 to $2.0");
  EXPECT_EQ(first.bullets, std::vector<std::string>{"one"});
  ASSERT_EQ(first.options.size(), 1U);
  EXPECT_EQ(first.options[0], (ProductOption{"color", {"d"}}));
  EXPECT_EQ(first.option_images.at("a | b"), "x");
  EXPECT_EQ(first.attributes, std::vector<std::string>{"soft"});
  EXPECT_EQ(searchable_text(first), "n d one color: d");
  EXPECT_EQ(catalogue.product(1).price_tag, "$100.0");
  EXPECT_EQ(catalogue.product(1).attributes, std::vector<std::string>{"DUMMY_ATTR"});
  EXPECT_EQ(catalogue.find("B2"), 1U);
  EXPECT_FALSE(catalogue.find("B3"));
}

TEST_F(CatalogueFiles, AreReadUpToALimit) {
  write("[" + entry(R"("asin":"B1","name":"N")") + "," + entry(R"("asin":"B2","name":"N")") + "]");
  EXPECT_EQ(load_catalogue(folder_.path(), 1).size(), 1U);
}

TEST_F(CatalogueFiles, ThatAreMissingAreNamed) {
  EXPECT_TRUE(contains(error(), "no items_shuffle.json or items_shuffle_1000.json in "));
  for (const std::string stem : {"items_shuffle", "items_ins_v2", "items_human_ins"}) {
    write("[" + entry(R"("asin":"B1","name":"N")") + "]");
    std::filesystem::remove(folder_.path() / (stem + ".json"));
    EXPECT_TRUE(contains(error(), "no " + stem + ".json or " + stem + "_1000.json in "));
  }
}

TEST_F(CatalogueFiles, WithOptionsOfAnyOtherTypeAreRefused) {
  for (const char* options : {"7",
                              "true",
                              "\"Size\"",
                              "[{\"value\":\"9\"}]",
                              "{\"Size\":\"9\"}",
                              "{\"Size\":{\"value\":\"9\"}}",
                              "{\"Size\":[\"9\"]}",
                              "{\"Size\":[null]}",
                              "{\"Size\":[{\"value\":null}]}"}) {
    const std::string fields =
        fmt::format(R"("asin":"B1","name":"N","customization_options":{})", options);
    write(fmt::format("[{}]", entry(fields)));
    EXPECT_TRUE(contains(error(), "product 1: ")) << options << ": " << error();
  }
}

TEST_F(CatalogueFiles, TheLastOfTwoEntriesForAProductCounts) {
  write("[" + entry(R"("asin":"B1","name":"N")") + "]",
        R"({"B1":{"attributes":["a"],"instruction":"old","instruction_attributes":["a"]},)"
        R"("B1":{"attributes":["b"]}})",
        R"({"B1":[{"instruction":"x","instruction_attributes":["a"],"instruction_options":[]}],)"
        R"("B1":[{"instruction":"y","instruction_attributes":["a"],"instruction_options":[]},)"
        R"({"instruction":"z","instruction_attributes":["b"],"instruction_options":["c"]}]})");
  const auto catalogue = std::make_shared<const Catalogue>(load());
  EXPECT_EQ(catalogue->product(0).attributes, std::vector<std::string>{"b"});
  EXPECT_EQ(catalogue->product(0).human_instructions.size(), 2U);
  EXPECT_EQ(Goals(catalogue, {}).size(), 2U);
  EXPECT_EQ(Goals(catalogue, {.kind = GoalKind::kSynthetic}).size(), 0U);
}

TEST_F(CatalogueFiles, WithTooManyCombinationsOfOptionsHaveNoSyntheticGoals) {
  std::string options;
  for (int i = 0; i < 12; ++i) {
    options +=
        fmt::format(R"({}"o{}":[{{"value":"a"}},{{"value":"b"}},{{"value":"c"}},{{"value":"d"}}])",
                    i == 0 ? "" : ",",
                    i);
  }
  write("[" + entry(R"("asin":"B1","name":"N","customization_options":{)" + options + "}") + "]",
        R"({"B1":{"attributes":["a"],"instruction":"i","instruction_attributes":["a"]}})");
  const auto catalogue = std::make_shared<const Catalogue>(load());
  EXPECT_EQ(Goals(catalogue, {}).size(), 0U);
  EXPECT_THROW(Goals(catalogue, {.kind = GoalKind::kSynthetic}), Error);
}

TEST_F(CatalogueFiles, ThatAreBadAreNamedWithEntryAndKey) {
  const auto says = [&](const std::string& items, const std::string& what) {
    write(items);
    EXPECT_TRUE(contains(error(), what)) << error();
  };
  says("[" + entry(R"("asin":"B1")") + "]", "product 1: expected a text \"name\", got none");
  says("[" + entry(R"("asin":"B1","name":3)") + "]", "expected a text \"name\", got 3");
  says("[" + entry(R"("name":"N")") + "]", "expected a text \"asin\"");
  says("[" + entry(R"("asin":"B1","name":"N","pricing":"call us")") + "]", "\"pricing\"");
  says("[" + entry(R"("asin":"B1","name":"N","pricing":"$1.2.3")") + "]", "\"$1.2.3\"");
  says("[" + entry(R"("asin":"B1","name":"N","customization_options":{"Size":7})") + "]",
       "option \"Size\": expected a list of");
  says("[" + entry(R"("asin":"B1","name":"N","customization_options":{"Size":[{"v":7}]})") + "]",
       "option \"Size\": expected a list of");
  says("[" + entry(R"("asin":"B1","name":"N","customization_options":[1])") + "]",
       "expected an object \"customization_options\"");
  says("[3]", "product 1: expected a JSON object");
  says("[]", "expected products, got none");
  says("[" + entry(R"("asin":"B1","name":"N")"), "the file ends");
  says("[" + entry(R"("asin":"B1","name":"N")").substr(0, 30), "the file ends");
  says("", "expected a JSON list or object");
  says("[{\"asin\":}]", "element 1: no JSON");
}

TEST_F(CatalogueFiles, AnInstructionNeedsAttributes) {
  write("[" + entry(R"("asin":"B1","name":"N")") + "]", R"({"B1":{"instruction":"find"}})");
  EXPECT_TRUE(contains(error(), "needs \"instruction_attributes\""));
}

TEST(Catalogue, RefusesTheSameAsinTwice) {
  const std::vector<Product> twins(2, Product{.asin = "B1"});
  EXPECT_THROW((Catalogue(twins)), Error);
}

TEST(Prices, AreReadFromTheirText) {
  EXPECT_EQ(parse_prices(""), std::vector<double>{100.0});
  EXPECT_EQ(parse_prices("$12.99"), std::vector<double>{12.99});
  EXPECT_EQ(parse_prices("from $1.00 to $2.50 or $3"), (std::vector<double>{1, 2.5}));
  EXPECT_THROW(parse_prices("$"), Error);
  EXPECT_THROW(parse_prices("12"), Error);
}

TEST(Prices, OfAnyShapeAreReadOrRefused) {
  const std::vector<std::string> pieces = {
      "$", "1", "999", ".", ",", "-", " ", "e9", "to", "\u20ac", "\xff", "inf", "nan", "0x"};
  Rng rng(11);
  std::size_t read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::uint64_t i = rng.below(9); i > 0; --i) {
      text += rng.choose(pieces);
    }
    try {
      const std::vector<double> prices = parse_prices(text);
      ASSERT_TRUE(prices.size() == 1 || prices.size() == 2) << text;
      for (const double price : prices) {
        ASSERT_TRUE(std::isfinite(price) && price >= 0) << text;
      }
      ASSERT_TRUE(price_tag(prices).starts_with('$'));
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kParse) << text;
    }
  }
  EXPECT_GT(read, 1000U);
  EXPECT_THROW(parse_prices("$" + std::string(400, '9')), Error);
}

class WrittenShop : public testing::Test {
 protected:
  TemporaryFolder folder_;
  ShopOptions options_{.num_products = 40, .instructions_per_product = 5, .seed = 2};
  std::vector<Product> products_ = generate_products(options_);
};

TEST_F(WrittenShop, IsReadBackAsItWas) {
  write_catalogue(folder_.path(), options_);
  const Catalogue read = load_catalogue(folder_.path());
  ASSERT_EQ(read.size(), products_.size());
  for (ProductIndex i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read.product(i), products_[i]);
  }
}

TEST_F(WrittenShop, MeetsEachOfItsGoalsInFull) {
  const auto catalogue = std::make_shared<const Catalogue>(products_);
  for (const GoalKind kind : {GoalKind::kHuman, GoalKind::kSynthetic}) {
    const Shop shop(catalogue, {.kind = kind}, {});
    ASSERT_GT(shop.goals().size(), 100U);
    for (std::size_t i = 0; i < shop.goals().size(); ++i) {
      const Goal goal = shop.goals().goal(i);
      std::vector<std::string> options;
      for (const GoalOption& option : goal.options) {
        options.push_back(option.value);
      }
      EXPECT_EQ(shop.reward(goal, catalogue->find(goal.asin).value(), options).reward, 1)
          << goal.instruction;
    }
  }
}

TEST(ShopGenerator, MakesTheSameShopForTheSameOptionsAndPrefixesOfIt) {
  const auto shop = generate_products({.num_products = 30, .seed = 5});
  EXPECT_EQ(generate_products({.num_products = 30, .seed = 5}), shop);
  EXPECT_NE(generate_products({.num_products = 30, .seed = 6}), shop);
  const auto fewer = generate_products({.num_products = 10, .seed = 5});
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), shop.begin()));
}

TEST(ShopId, IsReadBackAndCheckedForItsRanges) {
  const ShopOptions options{.num_products = 7, .instructions_per_product = 3, .seed = 9};
  EXPECT_EQ(parse_shop_id(to_text(options)), options);
  for (const char* bad : {"",
                          "products",
                          "products=0",
                          "products=-1",
                          "products=3000000",
                          "rooms=3",
                          "instructions=9",
                          "seed=x"}) {
    EXPECT_THROW(parse_shop_id(bad), Error) << bad;
  }
}

TEST(Goals, TakePricesFromATableAndRefuseAnotherCatalogues) {
  const auto catalogue = std::make_shared<const Catalogue>(generate_products({.num_products = 3}));
  PriceTable table;
  EXPECT_THROW(Goals(catalogue, {.prices = &table}), Error);
  for (ProductIndex i = 0; i < catalogue->size(); ++i) {
    table.product_prices[std::string(catalogue->asin(i))] = 3.5;
  }
  const Goals goals(catalogue, {.prices = &table});
  EXPECT_EQ(goals.price(1), 3.5);
  table.goals = {{goals.goal(0).asin, 77}};
  EXPECT_EQ(Goals(catalogue, {.prices = &table}).goal(0).price_upper, 77);
  EXPECT_TRUE(Goals(catalogue, {.prices = &table})
                  .goal(0)
                  .instruction.ends_with(", and price lower than 77.00 dollars"));
  table.goals = {{"other", 77}};
  EXPECT_THROW(Goals(catalogue, {.prices = &table}), Error);
  EXPECT_THROW((void)goals.goal(goals.size()), Error);
}

}  // namespace
}  // namespace dreamgym::webshop
