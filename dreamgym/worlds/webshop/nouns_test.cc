#include "dreamgym/worlds/webshop/nouns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/webshop/catalogue_files.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym::webshop {
namespace {

TEST(TagNouns, KeepsNamesAndLeavesFunctionWordsNumbersAndMarksOut) {
  EXPECT_EQ(
      tag_nouns("FitFlop Men's Sport Sandal, 2 Pack (Black/Grey) with 12 Straps 500ml"),
      (Nouns{"fitflop", "men", "sport", "sandal", "pack", "black", "grey", "straps", "500ml"}));
  EXPECT_EQ(tag_nouns(""), Nouns{});
  EXPECT_EQ(tag_nouns(" - ( ) , ' \" "), Nouns{});
}

TEST(NounLists, PreferTheRecordedList) {
  const NounLists lists(std::unordered_map<std::string, Nouns>{{"B1", Nouns{"thing"}}});
  EXPECT_EQ(lists.find("B1", "Red Boots"), Nouns{"thing"});
  EXPECT_EQ(lists.find("B2", "Red Boots"), (Nouns{"red", "boots"}));
}

TEST(NounLists, NameTheFileThatIsNone) {
  const TemporaryFolder folder;
  write_file(folder.path() / "nouns.json", "{\"nouns\": {\"B1\": 3}}");
  try {
    load_noun_lists(folder.path() / "nouns.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kParse);
    EXPECT_NE(std::string(error.what()).find("nouns.json"), std::string::npos);
  }
}

/// Tokens in both lists, with multiplicity.
std::size_t overlap(const Nouns& a, const Nouns& b) {
  std::map<std::string, std::ptrdiff_t> count;
  for (const std::string& noun : a) {
    ++count[noun];
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(b, [&](const std::string& noun) { return count[noun]-- > 0; }));
}

TEST(TagNouns, AgreesWithTheOriginalsTaggerOnMostWordsAndRewards) {
  const auto folder = real_data_folder();
  if (!std::filesystem::exists(folder / "golden" / "nouns.json")) {
    GTEST_SKIP() << "no data at " << folder;
  }
  const Catalogue catalogue = load_catalogue(folder);
  const NounLists recorded = load_noun_lists(folder / "golden" / "nouns.json");
  std::size_t ours = 0;
  std::size_t theirs = 0;
  std::size_t both = 0;
  for (ProductIndex i = 0; i < catalogue.size(); ++i) {
    const Product product = catalogue.product(i);
    const Nouns guess = tag_nouns(product.title);
    const Nouns truth = recorded.find(product.asin, product.title);
    ours += guess.size();
    theirs += truth.size();
    both += overlap(guess, truth);
  }
  const double precision = static_cast<double>(both) / static_cast<double>(ours);
  const double recall = static_cast<double>(both) / static_cast<double>(theirs);
  std::size_t vectors = 0;
  std::size_t same_type = 0;
  for (const char* file : {"human_rewards.jsonl", "synthetic_rewards.jsonl"}) {
    for_each_line(folder / "golden" / file, [&](std::size_t, std::string_view line) {
      const auto json = nlohmann::json::parse(line);
      const Goal goal = goal_from_json(json["goal"].dump());
      const Product product =
          catalogue.product(catalogue.find(json["asin"].get<std::string>()).value());
      const Reward reward = get_reward({.product = product, .options = {}, .price = 1},
                                       goal,
                                       tag_nouns(product.title),
                                       tag_nouns(goal.name));
      ++vectors;
      same_type += reward.r_type == json["info"]["r_type"].get<double>() ? 1 : 0;
      return true;
    });
  }
  RecordProperty("precision", std::to_string(precision));
  RecordProperty("recall", std::to_string(recall));
  RecordProperty("same_type", static_cast<int>(same_type));
  EXPECT_GT(precision, 0.90);
  EXPECT_GT(recall, 0.93);
  EXPECT_EQ(vectors, 500U);
  EXPECT_GT(same_type, 450U);
}

}  // namespace
}  // namespace dreamgym::webshop
