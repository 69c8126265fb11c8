#include "dreamgym/worlds/webshop/reward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/fuzzy_match.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

constexpr int kAlike = 85;  // a token set ratio above this is a match

constexpr std::array kColors = std::to_array<std::string_view>(
    {"alabaster",  "apricot",   "aqua",      "ash",     "asphalt",   "azure",     "banana",
     "beige",      "black",     "blue",      "blush",   "bordeaux",  "bronze",    "brown",
     "burgundy",   "camel",     "camo",      "caramel", "champagne", "charcoal",  "cheetah",
     "chestnut",   "chocolate", "christmas", "coffee",  "cognac",    "copper",    "coral",
     "cranberry",  "cream",     "crystal",   "dark",    "denim",     "eggplant",  "elephant",
     "espresso",   "fuchsia",   "gold",      "granite", "grape",     "graphite",  "grass",
     "gray",       "green",     "grey",      "heather", "indigo",    "ivory",     "ivy",
     "khaki",      "lavender",  "lemon",     "leopard", "light",     "lilac",     "lime",
     "magenta",    "maroon",    "mauve",     "merlot",  "midnight",  "mint",      "mocha",
     "multicolor", "mushroom",  "mustard",   "natural", "navy",      "nude",      "olive",
     "orange",     "peach",     "pewter",    "pink",    "plum",      "purple",    "rainbow",
     "red",        "rose",      "royal",     "rust",    "sand",      "sapphire",  "seashell",
     "silver",     "skull",     "slate",     "steel",   "stone",     "stonewash", "sunflower",
     "tan",        "taupe",     "teal",      "tiger",   "turquoise", "violet",    "walnut",
     "wheat",      "white",     "wine",      "yellow"});

std::set<std::string> categories(std::string_view text) {
  std::set<std::string> parts;
  for (;;) {
    constexpr std::string_view kSeparator = "›";
    const std::size_t end = text.find(kSeparator);
    parts.emplace(python_strip(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + kSeparator.size());
  }
}

bool share_two_categories(const Product& product, const Goal& goal) {
  const std::set<std::string> bought = categories(product.product_category);
  const std::set<std::string> wanted = categories(goal.product_category);
  return std::ranges::count_if(bought, [&](const auto& part) { return wanted.contains(part); }) >=
         2;
}

double title_score(const Nouns& bought, const Nouns& wanted) {
  if (wanted.empty()) {
    return 0.2;
  }
  const std::set<std::string> has(bought.begin(), bought.end());
  const std::set<std::string> distinct(wanted.begin(), wanted.end());
  const auto common =
      std::ranges::count_if(distinct, [&](const std::string& noun) { return has.contains(noun); });
  return static_cast<double>(common) / static_cast<double>(wanted.size());
}

/// The order of the tests matters: no noun in common is worth nothing whatever else fits.
double type_reward(const Reward& parts) {
  if (parts.title_score == 0) {
    return 0;
  }
  if (parts.title_score < 0.1) {
    return 0.1;
  }
  return parts.query_match || parts.category_match || parts.title_score > 0.2 ? 1 : 0.5;
}

std::vector<std::string> missed_attributes(const Product& product, const Goal& goal) {
  const std::string title = python_lower(product.title);
  const std::string bullets = python_lower(join(product.bullets, " "));
  const std::string description = python_lower(product.description);
  std::vector<std::string> missed;
  for (const std::string& wanted : goal.attributes) {
    const bool met = std::ranges::any_of(product.attributes,
                                         [&](const std::string& attribute) {
                                           return token_set_ratio(attribute, wanted) > kAlike;
                                         }) ||
                     contains(title, wanted) || contains(bullets, wanted) ||
                     contains(description, wanted);
    if (!met) {
      missed.push_back(wanted);
    }
  }
  return missed;
}

/// What the fuzzy match sees of a wanted option. A named one is a Python tuple to the original: a
/// colour only if name or value is exactly one, else its text with name, quotes and brackets.
std::string wanted_text(const GoalOption& option, bool named) {
  if (!named) {
    return std::string(normalize_color(option.value));
  }
  for (const std::string_view color : kColors) {
    if (option.name == color || option.value == color) {
      return std::string(color);
    }
  }
  return fmt::format("({}, {})",
                     python_repr(std::string_view(option.name)),
                     python_repr(std::string_view(option.value)));
}

std::vector<std::string> missed_options(const Purchase& purchase, const Goal& goal) {
  std::vector<std::string> missed;
  for (const GoalOption& option : goal.options) {
    const std::string wanted = wanted_text(option, goal.named_options);
    const bool met = std::ranges::any_of(purchase.options, [&](const std::string& chosen) {
      return token_set_ratio(normalize_color(chosen), wanted) > kAlike;
    });
    if (!met) {
      missed.push_back(option.value);
    }
  }
  return missed;
}

}  // namespace

Reward get_reward(const Purchase& purchase,
                  const Goal& goal,
                  const Nouns& bought_nouns,
                  const Nouns& wanted_nouns) {
  check(!goal.attributes.empty(), "a goal asks for an attribute");
  Reward out;
  out.query_match = purchase.product.query == goal.query;
  out.category_match = share_two_categories(purchase.product, goal);
  out.title_score = title_score(bought_nouns, wanted_nouns);
  out.r_type = type_reward(out);

  out.missed = missed_attributes(purchase.product, goal);
  const std::size_t attributes = goal.attributes.size() - out.missed.size();
  std::vector<std::string> unmet = missed_options(purchase, goal);
  const std::size_t options = goal.options.size() - unmet.size();
  out.missed.insert(out.missed.end(), unmet.begin(), unmet.end());
  const auto num_attributes = static_cast<double>(goal.attributes.size());
  const auto num_options = static_cast<double>(goal.options.size());
  const double total = num_attributes + num_options + 1;
  out.r_att = static_cast<double>(attributes) / num_attributes;
  out.w_att = num_attributes / total;
  if (!goal.options.empty()) {
    out.r_option = static_cast<double>(options) / num_options;
    out.w_option = num_options / total;
  }
  out.r_price = purchase.price <= goal.price_upper;
  out.w_price = 1 / total;
  const double met = static_cast<double>(attributes + options + (out.r_price ? 1 : 0));
  out.reward = met / total * out.r_type;
  return out;
}

std::string_view normalize_color(std::string_view text) {
  const auto found =
      std::ranges::find_if(kColors, [&](std::string_view color) { return contains(text, color); });
  return found == kColors.end() ? text : *found;
}

}  // namespace dreamgym::webshop
