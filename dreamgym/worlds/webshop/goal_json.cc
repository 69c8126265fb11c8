#include "dreamgym/worlds/webshop/goal_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(std::string_view what, std::string_view why, std::string_view text) {
  throw Error(ErrorKind::kParse, fmt::format("{}: {}, got {}", what, why, shorten(text, 120)));
}

Json parse(std::string_view what, std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    fail(what, "expected a JSON object", text);
  }
  return json;
}

/// What member access throws becomes an error with the text.
template <class F>
auto reading(std::string_view what, std::string_view text, const F& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    fail(what, error.what(), text);
  }
}

Goal read_goal(const Json& json) {
  Goal goal{.asin = json.at("asin").get<std::string>(),
            .category = json.value("category", ""),
            .query = json.at("query").get<std::string>(),
            .name = json.at("name").get<std::string>(),
            .product_category = json.at("product_category").get<std::string>(),
            .instruction = json.value("instruction_text", ""),
            .attributes = json.at("attributes").get<std::vector<std::string>>(),
            .price_upper = json.at("price_upper").get<double>(),
            .weight = json.value("weight", 1.0)};
  const Json& options = json.at("goal_options");
  goal.named_options = options.is_object();
  for (const auto& [name, value] : options.items()) {
    goal.options.push_back({goal.named_options ? name : "", value.get<std::string>()});
  }
  return goal;
}

void check_goal(const Goal& goal, std::string_view text) {
  if (goal.attributes.empty()) {
    fail("goal", "expected at least one attribute", text);
  }
  if (!(goal.price_upper > 0)) {
    fail("goal", "expected a positive price_upper", text);
  }
}

}  // namespace

Goal goal_from_json(std::string_view json) {
  const Json parsed = parse("goal", json);
  Goal goal = reading("goal", json, [&] { return read_goal(parsed); });
  check_goal(goal, json);
  return goal;
}

std::string goal_to_json(const Goal& goal) {
  Json options = goal.named_options ? Json::object() : Json::array();
  for (const GoalOption& option : goal.options) {
    if (goal.named_options) {
      options[option.name] = option.value;
    } else {
      options.push_back(option.value);
    }
  }
  return Json{{"asin", goal.asin},
              {"category", goal.category},
              {"query", goal.query},
              {"name", goal.name},
              {"product_category", goal.product_category},
              {"instruction_text", goal.instruction},
              {"attributes", goal.attributes},
              {"price_upper", goal.price_upper},
              {"goal_options", options},
              {"weight", goal.weight}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string answer_search(const Shop& shop, std::string_view line) {
  constexpr std::size_t kCount = 50;
  const Json json = parse("search", line);
  Json hits = Json::array();
  reading("search", line, [&] {
    const auto query = json.at("query").get<std::string>();
    for (const SearchHit& hit : shop.index().search(query, json.value("count", kCount))) {
      hits.push_back({std::string(shop.catalogue().asin(hit.document)), hit.score});
    }
    return 0;
  });
  return Json{{"hits", hits}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string answer_reward(const Shop& shop, std::string_view line) {
  const Json json = parse("reward", line);
  return reading("reward", line, [&] {
    const Goal goal = read_goal(json.at("goal"));
    check_goal(goal, line);
    const auto asin = json.at("asin").get<std::string>();
    const auto bought = shop.catalogue().find(asin);
    if (!bought) {
      throw Error(ErrorKind::kNotFound,
                  fmt::format("reward: no product \"{}\" in the catalogue", shorten(asin, 40)));
    }
    std::vector<std::string> options;
    const Json chosen = json.value("options", Json::object());
    for (const auto& [name, value] : chosen.items()) {
      options.push_back(value.get<std::string>());
    }
    const Product product = shop.catalogue().product(*bought);
    const double price =
        json.contains("price") ? json["price"].get<double>() : shop.goals().price(*bought);
    const Reward reward = get_reward({.product = product, .options = options, .price = price},
                                     goal,
                                     shop.nouns().find(product.asin, product.title),
                                     shop.nouns().find(goal.asin, goal.name));
    Json out = {{"reward", reward.reward},
                {"r_type", reward.r_type},
                {"r_att", reward.r_att},
                {"w_att", reward.w_att},
                {"query_match", reward.query_match},
                {"category_match", reward.category_match},
                {"title_score", reward.title_score}};
    if (reward.r_option) {
      out["r_option"] = *reward.r_option;
      out["w_option"] = reward.w_option;
    }
    out["r_price"] = reward.r_price;
    out["w_price"] = reward.w_price;
    return out.dump();
  });
}

}  // namespace dreamgym::webshop
