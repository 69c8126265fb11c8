// Shops made up: products with categories, options, attributes, prices and instructions.
//
// Everything follows from the options, and a product from what it is: equal products have equal
// asins in every shop. Attributes stand in title or bullets, so they can be found out by looking.
// Each goal is met in full, with reward 1, by buying its own product with its options.
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/product.h"
#include "dreamgym/worlds/webshop/shop.h"

namespace dreamgym::webshop {

struct ShopOptions {
  std::size_t num_products = 200;            ///< 1 to 2,000,000
  std::size_t instructions_per_product = 2;  ///< 1 to 8; the later ones ask for more
  std::uint64_t seed = 0;
  bool operator==(const ShopOptions&) const = default;
};

/// "products=200,instructions=2,seed=0"; read back by parse_shop_id.
std::string to_text(const ShopOptions& options);
/// @throws Error kInvalidArgument if the text is none or a number is out of range.
ShopOptions parse_shop_id(std::string_view text);

/// One product after the other. @throws Error kInvalidArgument if a number is out of range.
void for_each_generated_product(const ShopOptions& options,
                                const std::function<void(const Product&)>& visit);
/// All of them. @throws as above.
std::vector<Product> generate_products(const ShopOptions& options);
/// The shop with human-like goals, or synthetic ones.
std::shared_ptr<const Shop> generate_shop(const ShopOptions& options, GoalKind goals);

/// Writes items_shuffle.json, items_ins_v2.json and items_human_ins.json, as read_catalogue reads
/// them, product by product. @throws Error kIo; kInvalidArgument as above.
void write_catalogue(const Path& folder, const ShopOptions& options);

}  // namespace dreamgym::webshop
