// What a purchase is worth: type, attributes, options and price of the goal that it meets.
//
// reward = r_type * (attributes met + options met + price met) / (attributes + options + 1).
// Source: princeton-nlp/WebShop @ 64fa2a5, get_reward. Thread safety: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/goals.h"
#include "dreamgym/worlds/webshop/nouns.h"
#include "dreamgym/worlds/webshop/product.h"

namespace dreamgym::webshop {

struct Purchase {
  const Product& product;
  const std::vector<std::string>& options;  ///< chosen values
  double price = 0;                         ///< dollars
};

struct Reward {
  double reward = 0;  ///< in [0, 1]
  double r_type = 0;
  bool query_match = false;
  bool category_match = false;
  double title_score = 0;  ///< share of the wanted name's nouns that the bought one has
  double r_att = 0;
  double w_att = 0;                  ///< weight in the sum, as the other w_
  std::optional<double> r_option{};  ///< none if the goal names no options
  double w_option = 0;
  bool r_price = false;
  double w_price = 0;
  std::vector<std::string> missed{};  ///< attributes and option values of the goal that are not met
};

/// @param goal  has at least one attribute.
/// @param wanted_nouns, bought_nouns  of goal.name and of the product's title.
Reward get_reward(const Purchase& purchase,
                  const Goal& goal,
                  const Nouns& bought_nouns,
                  const Nouns& wanted_nouns);

/// The first colour (alphabetically) whose name is in the text, else the text.
std::string_view normalize_color(std::string_view text);

}  // namespace dreamgym::webshop
