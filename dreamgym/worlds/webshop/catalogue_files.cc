#include "dreamgym/worlds/webshop/catalogue_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/json_elements.h"
#include "dreamgym/worlds/webshop/internal/product_record.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"
#include "dreamgym/worlds/webshop/price_text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kLongestAsin = 10;

using Kind = JsonValue::Kind;

/// One entry of a file, for reading its members with precise errors.
class Entry {
 public:
  /// @param number  of the entry, or 0 where `name` tells it.
  Entry(const JsonValue& json, const Path& path, std::size_t number, std::string_view name)
      : json_(json), path_(path), number_(number), name_(name) {
    if (json.kind != Kind::kObject) {
      fail("expected a JSON object");
    }
  }

  [[nodiscard]] const JsonValue* find(const char* key) const {
    const JsonValue* found = json_.find(key);
    return found == nullptr || found->kind == Kind::kNull ? nullptr : found;
  }
  [[nodiscard]] std::string text(const char* key) const {
    const JsonValue* value = find(key);
    if (value == nullptr || value->kind != Kind::kText) {
      fail(fmt::format("expected a text \"{}\", got {}", key, shown(value)));
    }
    return text_of(*value);
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    const JsonValue* value = find(key);
    if (value == nullptr) {
      return out;
    }
    if (value->kind != Kind::kList) {
      fail(fmt::format("expected a list of texts \"{}\", got {}", key, shown(value)));
    }
    for (const JsonValue& item : value->items) {
      if (item.kind != Kind::kText) {
        fail(fmt::format("expected a list of texts \"{}\", got {} in it", key, shown(&item)));
      }
      out.push_back(text_of(item));
    }
    return out;
  }
  [[nodiscard]] std::string text_of(const JsonValue& value) const {
    try {
      return value.text();
    } catch (const nlohmann::json::exception& error) {
      fail(fmt::format("no JSON: {}: {}", error.what(), shown(&value)));
    }
  }
  [[noreturn]] void fail(const std::string& why) const {
    const std::string name =
        number_ > 0 ? fmt::format("product {}", number_) : fmt::format("\"{}\"", name_);
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {}: {}", path_.string(), name, why),
                "expected the benchmark's own files (docs/worlds/webshop.md)");
  }
  static std::string shown(const JsonValue* value) {
    return value == nullptr ? "none" : shorten(value->raw, 60);
  }

 private:
  const JsonValue& json_;
  const Path& path_;
  std::size_t number_;
  std::string_view name_;
};

ProductOption read_option(const Entry& entry,
                          const std::string& raw_name,
                          const JsonValue& contents,
                          Product& product) {
  const auto refuse = [&] {
    entry.fail(fmt::format("option \"{}\": expected a list of {{\"value\": text}}, got {}",
                           raw_name,
                           Entry::shown(&contents)));
  };
  if (contents.kind != Kind::kList) {
    refuse();
  }
  ProductOption option{.name = python_lower(raw_name)};
  for (const JsonValue& content : contents.items) {
    const JsonValue* value = content.find("value");
    if (value == nullptr || value->kind != Kind::kText) {
      refuse();
    }
    const std::string raw = entry.text_of(*value);
    option.values.push_back(python_lower(replace_all(python_strip(raw), "/", " | ")));
    const JsonValue* image = content.find("image");
    product.option_images[option.values.back()] = image != nullptr && image->kind == Kind::kText
                                                      ? std::optional(entry.text_of(*image))
                                                      : std::nullopt;
  }
  return option;
}

void read_options(const Entry& entry, Product& product) {
  const JsonValue* options = entry.find("customization_options");
  if (options == nullptr || options->raw == "\"\"" ||
      (options->kind == Kind::kList && options->items.empty())) {
    return;
  }
  if (options->kind != Kind::kObject) {
    entry.fail("expected an object \"customization_options\", got " + Entry::shown(options));
  }
  for (const auto& [raw_name, contents] : options->members) {
    if (contents.kind == Kind::kNull) {
      continue;
    }
    ProductOption option = read_option(entry, raw_name, contents, product);
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
                  .product_category = entry.text("product_category")};
  const JsonValue* bullets = entry.find("small_description");
  product.bullets = bullets != nullptr && bullets->kind == Kind::kText
                        ? std::vector{entry.text_of(*bullets)}
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

void read_products(const Path& path, std::size_t max_products, CatalogueBuilder& builder) {
  std::size_t number = 0;
  for_each_json_element(path, [&](const std::string&, const JsonValue& json) {
    const Entry entry(json, path, ++number, "");
    std::string asin = entry.text("asin");
    if (asin != "nan" && decode_utf8(asin).size() <= kLongestAsin && !builder.find(asin)) {
      builder.add(read_product(entry, std::move(asin)));
    }
    return number != max_products;
  });
  if (builder.size() == 0) {
    throw Error(ErrorKind::kParse, fmt::format("{}: expected products, got none", path.string()));
  }
}

void read_attributes(const Path& path, CatalogueBuilder& builder) {
  for_each_json_element(path, [&](const std::string& asin, const JsonValue& json) {
    const auto found = builder.find(asin);
    if (!found) {
      return true;
    }
    const Entry entry(json, path, 0, asin);
    Product product{.attributes = {std::string(kNoAttributes)}};
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
    builder.set_attributes(*found, product);
    return true;
  });
}

void read_instructions(const Path& path, CatalogueBuilder& builder) {
  for_each_json_element(path, [&](const std::string& asin, const JsonValue& json) {
    const auto found = builder.find(asin);
    if (!found) {
      return true;
    }
    std::vector<HumanInstruction> instructions;
    if (json.kind != Kind::kList) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: \"{}\": expected a list of instructions, got {}",
                              path.string(),
                              asin,
                              Entry::shown(&json)));
    }
    for (const JsonValue& item : json.items) {
      const Entry entry(item, path, 0, asin);
      instructions.push_back({.text = entry.text("instruction"),
                              .attributes = entry.texts("instruction_attributes"),
                              .options = entry.texts("instruction_options")});
    }
    builder.set_instructions(*found, instructions);
    return true;
  });
}

}  // namespace

CatalogueFiles find_catalogue_files(const Path& folder) {
  const auto pick = [&](const std::string& stem) {
    for (const char* end : {".json", "_1000.json"}) {
      if (std::filesystem::exists(folder / (stem + end))) {
        return folder / (stem + end);
      }
    }
    throw Error(ErrorKind::kNotFound,
                fmt::format("no {}.json or {}_1000.json in {}", stem, stem, folder.string()),
                "set the data folder to the one with the WebShop files, or leave it empty for a "
                "generated shop");
  };
  return {.products = pick("items_shuffle"),
          .attributes = pick("items_ins_v2"),
          .instructions = pick("items_human_ins")};
}

void read_catalogue(const CatalogueFiles& files,
                    std::size_t max_products,
                    CatalogueBuilder& builder) {
  read_products(files.products, max_products, builder);
  read_attributes(files.attributes, builder);
  read_instructions(files.instructions, builder);
  builder.finish();
}

Catalogue load_catalogue(const Path& folder, std::size_t max_products) {
  std::string bytes;
  SectionWriter writer([&](std::string_view piece) { bytes += piece; }, "");
  CatalogueBuilder builder(writer);
  read_catalogue(find_catalogue_files(folder), max_products, builder);
  return Catalogue(std::make_shared<const SectionFile>(std::move(bytes)));
}

}  // namespace dreamgym::webshop
