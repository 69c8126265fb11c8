#include "dreamgym/worlds/webshop/shop_generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/product_kinds.h"
#include "dreamgym/worlds/webshop/internal/string_table.h"
#include "dreamgym/worlds/webshop/price_text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kMostProducts = 2'000'000;
constexpr std::size_t kMostInstructions = 8;

void check_options(const ShopOptions& options) {
  const auto in_range = [](const char* what, std::size_t got, std::size_t most) {
    if (got < 1 || got > most) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("generated shop, {}: expected 1 to {}, got {}", what, most, got));
    }
  };
  in_range("products", options.num_products, kMostProducts);
  in_range("instructions", options.instructions_per_product, kMostInstructions);
}

template <class T>
const T& choose(std::span<const T> items, Rng& rng) {
  return items[rng.below(items.size())];
}

/// `count` of the names, in the table's order.
std::vector<std::string> choose_some(std::span<const std::string_view> names,
                                     std::size_t count,
                                     Rng& rng) {
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  rng.shuffle(order);
  order.resize(std::min(count, order.size()));
  std::ranges::sort(order);
  std::vector<std::string> chosen;
  for (const std::size_t i : order) {
    chosen.emplace_back(names[i]);
  }
  return chosen;
}

std::string capitalised(std::string text) {
  bool first = true;
  for (char& c : text) {
    if (first && c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    }
    first = c == ' ';
  }
  return text;
}

std::string brand(Rng& rng) {
  std::string name;
  const std::size_t count = 2 + rng.below(2);
  for (std::size_t i = 0; i < count; ++i) {
    name += choose(brand_syllables(), rng);
  }
  return capitalised(name);
}

/// Ten characters, as the benchmark's.
std::string asin_of(const Product& product, std::size_t attempt) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::uint64_t hash = hash_text(fmt::format(
      "{}|{}|{}|{}", product.title, join(product.bullets, "|"), product.price_tag, attempt));
  std::string asin = "G";
  for (int i = 0; i < 9; ++i) {
    asin += kDigits[hash % kDigits.size()];
    hash /= kDigits.size();
  }
  return asin;
}

ProductOption option(std::string_view name, std::span<const std::string_view> values, Rng& rng) {
  const std::size_t least = std::min<std::size_t>(2, values.size());
  return {.name = std::string(name),
          .values = choose_some(values, least + rng.below(values.size() - least + 1), rng)};
}

/// "in black", "in size large", "with vanilla flavor".
std::string option_phrase(const ProductOption& from, const std::string& value) {
  if (from.name == "color") {
    return "in " + value;
  }
  return from.name == "size" ? "in size " + value : "in " + value + " " + words(from.name)[0];
}

/// The `level`-th instruction asks for more attributes and options than the one before.
HumanInstruction instruction(const Product& product,
                             const ProductKind& kind,
                             std::size_t level,
                             Rng& rng) {
  constexpr std::string_view kBegins[] = {"i am looking for", "i need", "i want to buy", "find me"};
  HumanInstruction out;
  std::vector<std::string> attributes = product.attributes;
  rng.shuffle(attributes);
  attributes.resize(std::min(attributes.size(), 1 + level / 2));
  out.attributes = std::move(attributes);
  out.text = fmt::format("{} {} that is {}",
                         choose(std::span<const std::string_view>(kBegins), rng),
                         to_lower(kind.noun),
                         fmt::join(out.attributes, " and "));
  const std::size_t num_options = std::min(product.options.size(), (level + 1) / 2);
  for (std::size_t i = 0; i < num_options; ++i) {
    const ProductOption& from = product.options[i];
    out.options.push_back(rng.choose(from.values));
    out.text += fmt::format(", {}", option_phrase(from, out.options.back()));
  }
  return out;
}

Product make_product(const ShopOptions& options, Rng rng) {
  const ProductKind& kind = choose(product_kinds(), rng);
  Product product{.category = std::string(kind.category),
                  .query = std::string(kind.query),
                  .product_category = std::string(kind.path)};
  product.attributes = choose_some(kind.attributes, 2 + rng.below(3), rng);
  const std::string maker = brand(rng);
  product.title = fmt::format("{} {} {}, {}",
                              maker,
                              choose(line_names(), rng),
                              kind.noun,
                              capitalised(product.attributes.front()));
  for (const std::string& attribute : product.attributes) {
    product.bullets.push_back(capitalised(attribute) + " " + to_lower(kind.noun));
  }
  product.description = fmt::format("{} by {}.", kind.noun, maker);
  product.options.push_back(option(kind.first_option, kind.first_values, rng));
  if (!kind.second_option.empty()) {
    product.options.push_back(option(kind.second_option, kind.second_values, rng));
  }
  for (const ProductOption& each : product.options) {
    for (const std::string& value : each.values) {
      product.option_images[value] = std::nullopt;
    }
  }
  const double price = kind.low_price + (kind.high_price - kind.low_price) * rng.uniform();
  product.prices = {std::round(price * 100) / 100};
  product.price_tag = price_tag(product.prices);
  product.synthetic_attributes = product.attributes;
  product.synthetic_instruction =
      fmt::format("Find me {} {}", fmt::join(product.attributes, ", "), kind.query);
  for (std::size_t level = 0; level < options.instructions_per_product; ++level) {
    product.human_instructions.push_back(instruction(product, kind, level, rng));
  }
  return product;
}

}  // namespace

std::string to_text(const ShopOptions& options) {
  return fmt::format("products={},instructions={},seed={}",
                     options.num_products,
                     options.instructions_per_product,
                     options.seed);
}

ShopOptions parse_shop_id(std::string_view text) {
  ShopOptions options;
  const auto fail = [&] {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("generated shop: expected an id like \"{}\", got \"{}\"",
                            to_text(ShopOptions{}),
                            shorten(text, 80)));
  };
  for (const std::string& field : split(text, ',')) {
    const std::vector<std::string> parts = split(field, '=');
    const auto number = parts.size() == 2 ? parse_unsigned(parts[1]) : std::nullopt;
    if (number && parts[0] == "products") {
      options.num_products = *number;
    } else if (number && parts[0] == "instructions") {
      options.instructions_per_product = *number;
    } else if (number && parts[0] == "seed") {
      options.seed = *number;
    } else {
      fail();
    }
  }
  check_options(options);
  return options;
}

void for_each_generated_product(const ShopOptions& options,
                                const std::function<void(const Product&)>& visit) {
  check_options(options);
  const Rng rng = Rng(options.seed).fork("webshop products");
  StringTableBuilder asins;
  for (std::size_t i = 0; i < options.num_products; ++i) {
    Product product = make_product(options, rng.fork("product", i));
    for (std::size_t attempt = 0; product.asin.empty() || asins.add(product.asin) != i;) {
      product.asin = asin_of(product, attempt++);
    }
    product.main_image = fmt::format("https://example.com/images/{}.jpg", product.asin);
    visit(product);
  }
}

std::vector<Product> generate_products(const ShopOptions& options) {
  std::vector<Product> products;
  for_each_generated_product(options, [&](const Product& product) { products.push_back(product); });
  return products;
}

std::shared_ptr<const Shop> generate_shop(const ShopOptions& options, GoalKind goals) {
  return std::make_shared<const Shop>(std::make_shared<const Catalogue>(generate_products(options)),
                                      GoalOptions{.kind = goals, .price_seed = options.seed},
                                      NounLists());
}

}  // namespace dreamgym::webshop
