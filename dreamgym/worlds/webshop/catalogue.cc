#include "dreamgym/worlds/webshop/catalogue.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/json_elements.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kLongestAsin = 10;

/// One entry of a file, for reading its members with precise errors.
class Entry {
 public:
  Entry(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) {
      fail("expected a JSON object");
    }
  }

  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr || !value->is_string()) {
      fail(fmt::format("expected a text \"{}\", got {}", key, shown(value)));
    }
    return value->get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    const Json* value = find(key);
    if (value == nullptr) {
      return out;
    }
    if (!value->is_array()) {
      fail(fmt::format("expected a list of texts \"{}\", got {}", key, shown(value)));
    }
    for (const Json& item : *value) {
      if (!item.is_string()) {
        fail(fmt::format("expected a list of texts \"{}\", got {} in it", key, shown(&item)));
      }
      out.push_back(item.get<std::string>());
    }
    return out;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {}", where_, why),
                "expected the benchmark's own files (docs/worlds/webshop.md)");
  }
  static std::string shown(const Json* value) {
    return value == nullptr
               ? "none"
               : shorten(value->dump(-1, ' ', false, Json::error_handler_t::replace), 60);
  }

 private:
  const Json& json_;
  std::string where_;
};

/// The larger of a file's two forms that is there.
Path pick_file(const Path& folder, const std::string& stem) {
  for (const char* end : {".json", "_1000.json"}) {
    if (std::filesystem::exists(folder / (stem + end))) {
      return folder / (stem + end);
    }
  }
  throw Error(ErrorKind::kNotFound,
              fmt::format("no {}.json or {}_1000.json in {}", stem, stem, folder.string()),
              "set the data folder to the one with the WebShop files, or leave it empty for a "
              "generated shop");
}

void read_options(const Entry& entry, Product& product) {
  const Json* options = entry.find("customization_options");
  if (options == nullptr || options->empty() ||
      (options->is_string() && options->get_ref<const std::string&>().empty())) {
    return;
  }
  if (!options->is_object()) {
    entry.fail("expected an object \"customization_options\", got " + Entry::shown(options));
  }
  for (const auto& [raw_name, contents] : options->items()) {
    if (contents.is_null()) {
      continue;
    }
    ProductOption option{.name = python_lower(raw_name)};
    for (const Json& content : contents) {
      const bool has_value =
          content.is_object() && content.contains("value") && content["value"].is_string();
      if (!contents.is_array() || !has_value) {
        entry.fail(fmt::format("option \"{}\": expected a list of {{\"value\": text}}, got {}",
                               raw_name,
                               Entry::shown(&contents)));
      }
      const std::string raw = content["value"].get<std::string>();
      option.values.push_back(python_lower(replace_all(python_strip(raw), "/", " | ")));
      const auto image = content.find("image");
      product.option_images[option.values.back()] = image != content.end() && image->is_string()
                                                        ? std::optional(image->get<std::string>())
                                                        : std::nullopt;
    }
    const auto known = std::ranges::find(product.options, option.name, &ProductOption::name);
    if (known != product.options.end()) {
      *known = std::move(option);
    } else {
      product.options.push_back(std::move(option));
    }
  }
}

Product read_product(const Entry& entry, std::string asin) {
  Product product{.asin = std::move(asin),
                  .title = entry.text("name"),
                  .description = entry.text("full_description"),
                  .category = entry.text("category"),
                  .query = std::string(python_strip(python_lower(entry.text("query")))),
                  .product_category = entry.text("product_category"),
                  .attributes = {"DUMMY_ATTR"}};
  const Json* bullets = entry.find("small_description");
  product.bullets = bullets != nullptr && bullets->is_string()
                        ? std::vector{bullets->get<std::string>()}
                        : entry.texts("small_description");
  const std::vector<std::string> images = entry.texts("images");
  product.main_image = images.empty() ? "" : images.front();
  const std::string pricing = entry.find("pricing") == nullptr ? "" : entry.text("pricing");
  try {
    product.prices = parse_prices(pricing);
  } catch (const Error& error) {
    entry.fail(fmt::format("\"pricing\": {}", error.what()));
  }
  product.price_tag = price_tag(product.prices);
  read_options(entry, product);
  return product;
}

std::vector<Product> read_products(const Path& path, std::size_t max_products) {
  std::vector<Product> products;
  std::unordered_set<std::string> seen;
  std::size_t number = 0;
  for_each_json_element(path, [&](const std::string&, const Json& json) {
    const Entry entry(json, fmt::format("{}: product {}", path.string(), ++number));
    std::string asin = entry.text("asin");
    if (asin != "nan" && decode_utf8(asin).size() <= kLongestAsin && seen.insert(asin).second) {
      products.push_back(read_product(entry, std::move(asin)));
    }
    return number != max_products;
  });
  if (products.empty()) {
    throw Error(ErrorKind::kParse, fmt::format("{}: expected products, got none", path.string()));
  }
  return products;
}

using IndexByAsin = std::unordered_map<std::string, std::size_t>;

void read_attributes(const Path& path, const IndexByAsin& index, std::vector<Product>& products) {
  for_each_json_element(path, [&](const std::string& asin, const Json& json) {
    const auto found = index.find(asin);
    if (found == index.end()) {
      return true;
    }
    const Entry entry(json, fmt::format("{}: \"{}\"", path.string(), asin));
    Product& product = products[found->second];
    if (entry.find("attributes") != nullptr) {
      product.attributes = entry.texts("attributes");
    }
    if (entry.find("instruction") != nullptr) {
      product.synthetic_instruction = entry.text("instruction");
      product.synthetic_attributes = entry.texts("instruction_attributes");
      if (product.synthetic_attributes.empty()) {
        entry.fail("an \"instruction\" needs \"instruction_attributes\", got none");
      }
    }
    return true;
  });
}

void read_instructions(const Path& path, const IndexByAsin& index, std::vector<Product>& products) {
  for_each_json_element(path, [&](const std::string& asin, const Json& json) {
    const auto found = index.find(asin);
    if (found == index.end()) {
      return true;
    }
    for (const Json& item : json) {
      const Entry entry(item, fmt::format("{}: \"{}\"", path.string(), asin));
      products[found->second].human_instructions.push_back(
          {.text = entry.text("instruction"),
           .attributes = entry.texts("instruction_attributes"),
           .options = entry.texts("instruction_options")});
    }
    return true;
  });
}

}  // namespace

std::string searchable_text(const Product& product) {
  std::string text = product.title + " " + product.description + " " +
                     (product.bullets.empty() ? "" : product.bullets.front()) + " ";
  for (std::size_t i = 0; i < product.options.size(); ++i) {
    text += (i > 0 ? ", and " : "") + product.options[i].name + ": " +
            join(product.options[i].values, ", ");
  }
  return python_lower(text);
}

Catalogue::Catalogue(std::vector<Product> products) : products_(std::move(products)) {
  by_asin_.reserve(products_.size());
  for (std::size_t i = 0; i < products_.size(); ++i) {
    if (!by_asin_.emplace(products_[i].asin, static_cast<ProductIndex>(i)).second) {
      throw Error(
          ErrorKind::kInvalidArgument,
          fmt::format("catalogue: expected distinct asins, got \"{}\" twice", products_[i].asin));
    }
  }
}

std::optional<ProductIndex> Catalogue::find(std::string_view asin) const {
  const auto found = by_asin_.find(asin);
  return found == by_asin_.end() ? std::nullopt : std::optional(found->second);
}

Catalogue load_catalogue(const Path& folder, std::size_t max_products) {
  std::vector<Product> products = read_products(pick_file(folder, "items_shuffle"), max_products);
  IndexByAsin index;
  for (std::size_t i = 0; i < products.size(); ++i) {
    index.emplace(products[i].asin, i);
  }
  read_attributes(pick_file(folder, "items_ins_v2"), index, products);
  read_instructions(pick_file(folder, "items_human_ins"), index, products);
  return Catalogue(std::move(products));
}

std::vector<double> parse_prices(std::string_view pricing) {
  if (pricing.empty()) {
    return {100.0};
  }
  std::vector<double> prices;
  std::vector<std::string> pieces = split(pricing, '$');
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    std::string& digits = pieces[i];
    std::erase_if(digits, [](char c) { return c != '.' && (c < '0' || c > '9'); });
    double price = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, price);
    if (read.ec != std::errc() || read.ptr != end) {
      prices.clear();
      break;
    }
    prices.push_back(price);
  }
  if (prices.empty()) {
    throw Error(ErrorKind::kParse,
                fmt::format("price: expected \"$1.23\" or \"$1.23 - $4.56\", got \"{}\"",
                            shorten(pricing, 60)));
  }
  prices.resize(std::min<std::size_t>(prices.size(), 2));
  return prices;
}

std::string price_tag(const std::vector<double>& prices) {
  return prices.size() == 1
             ? fmt::format("${}", python_repr(prices[0]))
             : fmt::format("${} to ${}", python_repr(prices[0]), python_repr(prices[1]));
}

}  // namespace dreamgym::webshop
