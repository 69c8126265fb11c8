#include "dreamgym/worlds/webshop/goals.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/json_elements.h"
#include "dreamgym/worlds/webshop/internal/python_random.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::uint64_t kShuffleSeed = 233;
constexpr double kPriceStep = 10;
constexpr int kNumPriceSteps = 99;
constexpr std::size_t kPriceChoices = 4;

/// Larger of two of the (up to four) round prices above the product's.
double draw_limit(double price, PythonRandom& random) {
  std::vector<double> choices;
  for (int i = 1; i <= kNumPriceSteps && choices.size() < kPriceChoices; ++i) {
    if (kPriceStep * i > price) {
      choices.push_back(kPriceStep * i);
    }
  }
  if (choices.size() < 2) {
    return kNoPriceLimit;
  }
  const std::vector<std::size_t> two = random.sample(choices.size(), 2);
  return std::max(choices[two[0]], choices[two[1]]);
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

std::size_t num_combinations(const Product& product) {
  std::size_t count = 1;
  for (const ProductOption& option : product.options) {
    count *= option.values.size();
  }
  return count;
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
  PythonRandom(kShuffleSeed).shuffle(keys_);
  if (options.prices != nullptr) {
    apply_limits(*options.prices);
  }
}

void Goals::draw_prices(const GoalOptions& options) {
  PythonRandom random(options.price_seed);
  for (const Product& product : catalogue_->products()) {
    prices_.push_back(product.prices.size() == 1
                          ? product.prices[0]
                          : random.uniform(product.prices[0], product.prices[1]));
    if (options.prices != nullptr) {
      const auto found = options.prices->product_prices.find(product.asin);
      if (found == options.prices->product_prices.end()) {
        refuse_table(fmt::format("expected a price of product {}, got none", product.asin));
      }
      prices_.back() = found->second;
    }
  }
}

void Goals::list_goals(const GoalOptions& options) {
  PythonRandom random(options.price_seed + 1);
  for (std::size_t i = 0; i < catalogue_->size(); ++i) {
    const auto index = static_cast<ProductIndex>(i);
    const Product& product = catalogue_->product(index);
    if (kind_ == GoalKind::kHuman) {
      for (std::size_t j = 0; j < product.human_instructions.size(); ++j) {
        if (!product.human_instructions[j].attributes.empty()) {
          const auto limit = static_cast<float>(draw_limit(prices_[i], random));
          keys_.push_back({index, static_cast<std::uint32_t>(j), limit});
        }
      }
    } else if (product.synthetic_instruction) {
      const auto limit = static_cast<float>(draw_limit(prices_[i], random));
      const std::size_t count = num_combinations(product);
      for (std::size_t j = 0; j < count; ++j) {
        keys_.push_back({index, static_cast<std::uint32_t>(j), limit});
      }
      for (const std::string& attribute : product.synthetic_attributes) {
        attribute_counts_[attribute] += count;
      }
    }
  }
}

void Goals::apply_limits(const PriceTable& table) {
  if (table.goals.size() > keys_.size()) {
    refuse_table(fmt::format("has {} goals, there are {}", table.goals.size(), keys_.size()));
  }
  std::unordered_map<ProductIndex, float> of_product;
  for (std::size_t i = 0; i < table.goals.size(); ++i) {
    const std::string& asin = catalogue_->product(keys_[i].product).asin;
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
    sum += 1.0 / static_cast<double>(attribute_counts_.at(attribute));
  }
  return sum / static_cast<double>(product.synthetic_attributes.size());
}

Goal Goals::goal(std::size_t session) const {
  if (session >= keys_.size()) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format(
            "session: expected less than {} (the number of goals), got {}", keys_.size(), session));
  }
  const Key& key = keys_[session];
  const Product& product = catalogue_->product(key.product);
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

}  // namespace dreamgym::webshop
