// write_catalogue(): a made-up shop in the benchmark's own file formats.
#include <nlohmann/json.hpp>

#include "dreamgym/worlds/webshop/internal/json_elements.h"
#include "dreamgym/worlds/webshop/shop_generator.h"

namespace dreamgym::webshop {
namespace {

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

Json instruction_json(const std::string& asin, const HumanInstruction& instruction) {
  return {{"asin", asin},
          {"instruction", instruction.text},
          {"instruction_attributes", instruction.attributes},
          {"instruction_options", instruction.options}};
}

}  // namespace

void write_catalogue(const Path& folder, const std::vector<Product>& products) {
  Json items = Json::array();
  Json attributes = Json::object();
  Json human = Json::object();
  for (const Product& product : products) {
    items.push_back(product_json(product));
    Json entry = {{"attributes", product.attributes}};
    if (product.synthetic_instruction) {
      entry["instruction"] = *product.synthetic_instruction;
      entry["instruction_attributes"] = product.synthetic_attributes;
    }
    attributes[product.asin] = std::move(entry);
    for (const HumanInstruction& instruction : product.human_instructions) {
      human[product.asin].push_back(instruction_json(product.asin, instruction));
    }
  }
  make_folder(folder);
  write_file(folder / "items_shuffle.json", items.dump(1));
  write_file(folder / "items_ins_v2.json", attributes.dump(1));
  write_file(folder / "items_human_ins.json", human.dump(1));
}

}  // namespace dreamgym::webshop
