#include "dreamgym/worlds/webshop/goals.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_random.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::json;

constexpr double kPriceStep = 10;
constexpr int kNumPriceSteps = 99;
constexpr int kPriceChoices = 4;
constexpr std::uint32_t kMostCombinations = 10'000'000;  // of one product

/// Larger of two of the (up to four) round prices above the product's.
double draw_limit(double price, PythonRandom& random) {
  int first = 1;
  while (first <= kNumPriceSteps && kPriceStep * first <= price) {
    ++first;
  }
  const int num_choices = std::min(kNumPriceSteps + 1 - first, kPriceChoices);
  if (num_choices < 2) {
    return kNoPriceLimit;
  }
  const auto two = random.sample_two(static_cast<std::size_t>(num_choices));
  return kPriceStep * (first + static_cast<int>(std::max(two.first, two.second)));
}

/// Options by name, as itertools.product walks them: the last varies fastest.
std::vector<const ProductOption*> sorted_options(const Product& product) {
  std::vector<const ProductOption*> options;
  for (const ProductOption& option : product.options) {
    options.push_back(&option);
  }
  std::ranges::sort(options, {}, &ProductOption::name);
  return options;
}

std::vector<GoalOption> combination(const Product& product, std::size_t number) {
  const auto options = sorted_options(product);
  std::vector<GoalOption> chosen(options.size());
  for (std::size_t i = options.size(); i-- > 0;) {
    const auto& values = options[i]->values;
    chosen[i] = {options[i]->name, values[number % values.size()]};
    number /= values.size();
  }
  return chosen;
}

std::string synthetic_text(const Product& product, const std::vector<GoalOption>& options) {
  std::string text = *product.synthetic_instruction;
  for (std::size_t i = 0; i < options.size(); ++i) {
    text +=
        fmt::format("{}{}: {}", i == 0 ? " with " : ", and ", options[i].name, options[i].value);
  }
  return text;
}

std::string price_text(double limit) {
  return limit == kNoPriceLimit ? "" : fmt::format(", and price lower than {:.2f} dollars", limit);
}

[[noreturn]] void refuse_table(const std::string& what) {
  throw Error(ErrorKind::kInvalidArgument,
              "price table: " + what,
              "is it of this catalogue and of this kind of goals (human, synthetic)?");
}

}  // namespace

GoalKind goal_kind_from_name(std::string_view name) {
  if (name == "human") {
    return GoalKind::kHuman;
  }
  if (name == "synthetic") {
    return GoalKind::kSynthetic;
  }
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("goals: expected human or synthetic, got \"{}\"", shorten(name, 60)));
}

PriceTable load_price_table(const Path& path) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {}", path.string(), why),
                "expected {\"product_prices\": {asin: dollars}, \"goals\": [[asin, limit, ...]]}");
  };
  PriceTable table;
  try {
    const Json json = Json::parse(read_file(path));
    for (const auto& [asin, price] : json.at("product_prices").items()) {
      table.product_prices.emplace(asin, price.get<double>());
    }
    for (const Json& goal : json.value("goals", Json::array())) {
      table.goals.push_back({goal.at(0).get<std::string>(), goal.at(1).get<double>()});
    }
  } catch (const Json::exception& error) {
    fail(error.what());
  }
  return table;
}

Goals::Goals(std::shared_ptr<const Catalogue> catalogue, const GoalOptions& options)
    : catalogue_(std::move(catalogue)), kind_(options.kind) {
  draw_prices(options);
  list_goals(options);
  PythonRandom(kGoalShuffleSeed).shuffle(keys_);
  if (options.prices != nullptr) {
    apply_limits(*options.prices);
  }
}

void Goals::draw_prices(const GoalOptions& options) {
  PythonRandom random(options.price_seed);
  prices_.reserve(catalogue_->size());
  for (const PriceRange& range : catalogue_->prices()) {
    prices_.push_back(range.is_range != 0 ? random.uniform(range.low, range.high) : range.low);
  }
  for (std::size_t i = 0; options.prices != nullptr && i < prices_.size(); ++i) {
    const std::string asin(catalogue_->asin(static_cast<ProductIndex>(i)));
    const auto found = options.prices->product_prices.find(asin);
    if (found == options.prices->product_prices.end()) {
      refuse_table(fmt::format("expected a price of product {}, got none", asin));
    }
    prices_[i] = found->second;
  }
}

void Goals::list_goals(const GoalOptions& options) {
  PythonRandom random(options.price_seed + 1);
  const auto limit_of = [&](ProductIndex product) {
    return static_cast<float>(draw_limit(prices_[product], random));
  };
  if (kind_ == GoalKind::kHuman) {
    keys_.reserve(catalogue_->human_goals().size());
    for (const HumanGoalEntry& entry : catalogue_->human_goals()) {
      keys_.push_back({entry.product, entry.instruction, limit_of(entry.product)});
    }
    return;
  }
  for (const SyntheticGoalEntry& entry : catalogue_->synthetic_goals()) {
    if (entry.combinations > kMostCombinations) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("synthetic goals: product {} has {} combinations of option values, "
                              "expected at most {}",
                              catalogue_->asin(entry.product),
                              entry.combinations,
                              kMostCombinations),
                  "play the human goals, or mend the product's customization_options");
    }
    const float limit = limit_of(entry.product);
    for (std::uint32_t j = 0; j < entry.combinations; ++j) {
      keys_.push_back({entry.product, j, limit});
    }
  }
}

void Goals::apply_limits(const PriceTable& table) {
  if (table.goals.size() > keys_.size()) {
    refuse_table(fmt::format("has {} goals, there are {}", table.goals.size(), keys_.size()));
  }
  std::unordered_map<ProductIndex, float> of_product;
  for (std::size_t i = 0; i < table.goals.size(); ++i) {
    const std::string_view asin = catalogue_->asin(keys_[i].product);
    if (asin != table.goals[i].asin) {
      refuse_table(fmt::format("goal {}: expected {}, got {}", i, asin, table.goals[i].asin));
    }
    keys_[i].price_upper = static_cast<float>(table.goals[i].price_upper);
    of_product[keys_[i].product] = keys_[i].price_upper;
  }
  if (kind_ == GoalKind::kSynthetic) {  // one draw serves all goals of a product
    for (Key& key : keys_) {
      const auto found = of_product.find(key.product);
      key.price_upper = found == of_product.end() ? key.price_upper : found->second;
    }
  }
}

double Goals::weight_of(const Product& product) const {
  double sum = 0;
  for (const std::string& attribute : product.synthetic_attributes) {
    sum += 1.0 / static_cast<double>(catalogue_->attribute_count(attribute));
  }
  return sum / static_cast<double>(product.synthetic_attributes.size());
}

std::vector<double> Goals::weights() const {
  std::vector<double> weights(keys_.size(), 1);
  if (kind_ == GoalKind::kHuman) {
    return weights;
  }
  std::vector<double> of_product(catalogue_->size());
  for (const SyntheticGoalEntry& entry : catalogue_->synthetic_goals()) {
    of_product[entry.product] = weight_of(catalogue_->product(entry.product));
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    weights[i] = of_product[keys_[i].product];
  }
  return weights;
}

Goal Goals::goal(std::size_t session) const {
  if (session >= keys_.size()) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format(
            "session: expected less than {} (the number of goals), got {}", keys_.size(), session));
  }
  const Key& key = keys_[session];
  const Product product = catalogue_->product(key.product);
  Goal goal{.asin = product.asin,
            .category = product.category,
            .query = product.query,
            .name = product.title,
            .product_category = product.product_category,
            .price_upper = key.price_upper};
  if (kind_ == GoalKind::kHuman) {
    const HumanInstruction& human = product.human_instructions[key.variant];
    goal.instruction = python_strip(human.text, '.');
    goal.attributes = human.attributes;
    for (const std::string& value : human.options) {
      goal.options.push_back({"", value});
    }
  } else {
    goal.named_options = true;
    goal.options = combination(product, key.variant);
    goal.instruction = synthetic_text(product, goal.options);
    goal.attributes = product.synthetic_attributes;
    goal.weight = weight_of(product);
  }
  goal.instruction += price_text(goal.price_upper);
  return goal;
}

std::string kind_of(const Goal& goal) {
  const auto counted = [](std::size_t count, std::size_t most, std::string_view what) {
    const std::size_t shown = std::min(count, most);
    return fmt::format("{}{} {}{}", shown, count > most ? "+" : "", what, shown == 1 ? "" : "s");
  };
  return counted(goal.attributes.size(), 3, "attribute") + ", " + counted(goal.options.size(), 2, "option");
}

}  // namespace dreamgym::webshop
