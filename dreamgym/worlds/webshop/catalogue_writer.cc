// write_catalogue(): a made-up shop in the benchmark's own file formats.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/worlds/webshop/shop_generator.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

Json product_json(const Product& product) {
  Json options = Json::object();
  for (const ProductOption& option : product.options) {
    Json values = Json::array();
    for (const std::string& value : option.values) {
      const auto image = product.option_images.find(value);
      const bool known = image != product.option_images.end() && image->second.has_value();
      values.push_back({{"value", value}, {"image", known ? Json(*image->second) : Json()}});
    }
    options[option.name] = std::move(values);
  }
  std::string pricing;
  for (const double price : product.prices) {
    pricing += (pricing.empty() ? "$" : " - $") + Json(price).dump();
  }
  return {{"name", product.title},
          {"full_description", product.description},
          {"pricing", pricing},
          {"images", {product.main_image}},
          {"product_category", product.product_category},
          {"small_description", product.bullets},
          {"customization_options", options.empty() ? Json("") : options},
          {"asin", product.asin},
          {"category", product.category},
          {"query", product.query}};
}

Json attributes_json(const Product& product) {
  Json json = {{"attributes", product.attributes}};
  if (product.synthetic_instruction) {
    json["instruction"] = *product.synthetic_instruction;
    json["instruction_attributes"] = product.synthetic_attributes;
  }
  return json;
}

Json instruction_json(const std::string& asin, const HumanInstruction& instruction) {
  return {{"asin", asin},
          {"instruction", instruction.text},
          {"instruction_attributes", instruction.attributes},
          {"instruction_options", instruction.options}};
}

}  // namespace

void write_catalogue(const Path& folder, const ShopOptions& options) {
  make_folder(folder);
  const auto write = [&](const char* name, char open, const auto& element) {
    write_file(folder / name, [&](const auto& put) {
      std::string buffer(1, open);
      std::string_view before = "\n";
      for_each_generated_product(options, [&](const Product& product) {
        buffer += before;
        buffer += element(product);
        before = ",\n";
        if (buffer.size() >= kBufferBytes) {
          put(buffer);
          buffer.clear();
        }
      });
      buffer += open == '[' ? "\n]\n" : "\n}\n";
      put(buffer);
    });
  };
  const auto member = [](const Product& product, const Json& value) {
    return fmt::format("{}: {}", Json(product.asin).dump(), value.dump());
  };
  write("items_shuffle.json", '[', [](const Product& each) { return product_json(each).dump(1); });
  write("items_ins_v2.json", '{', [&](const Product& each) {
    return member(each, attributes_json(each));
  });
  write("items_human_ins.json", '{', [&](const Product& each) {
    Json list = Json::array();
    for (const HumanInstruction& instruction : each.human_instructions) {
      list.push_back(instruction_json(each.asin, instruction));
    }
    return member(each, list);
  });
}

}  // namespace dreamgym::webshop
