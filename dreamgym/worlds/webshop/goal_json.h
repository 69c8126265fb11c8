// Goals and rewards as JSON, with the original's keys.
// Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/worlds/webshop/goals.h"
#include "dreamgym/worlds/webshop/reward.h"
#include "dreamgym/worlds/webshop/shop.h"

namespace dreamgym::webshop {

/// {"asin", "category", "query", "name", "product_category", "instruction_text", "attributes",
/// "price_upper", "goal_options": {name: value} or [value], "weight"}; instruction_text and weight
/// may be missing. @throws Error kParse saying what is wrong.
Goal goal_from_json(std::string_view json);
std::string goal_to_json(const Goal& goal);

/// One line of `dreamgym webshop search`: {"query": text, "count": 50} to
/// {"hits": [[asin, score], ...]}. @throws Error kParse.
std::string answer_search(const Shop& shop, std::string_view line);

/// One line of `dreamgym webshop reward`: {"goal": {...}, "asin": text, "options": {name: value} or
/// [value], "price": dollars} to {"reward", "r_type", "r_att", "w_att", "query_match",
/// "category_match", "title_score", "r_option", "w_option" (if the goal has options), "r_price",
/// "w_price"}. Without a price the shop's own counts.
/// @throws Error kParse; kNotFound if there is no such product.
std::string answer_reward(const Shop& shop, std::string_view line);

}  // namespace dreamgym::webshop
