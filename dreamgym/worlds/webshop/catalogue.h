// The shop's products from the benchmark's own files.
//
// A folder holds items_shuffle[_1000].json (list of products), items_ins_v2[_1000].json (attributes
// and synthetic instructions by asin) and items_human_ins[_1000].json (human instructions by asin);
// the larger ones win where both are there. Files are read element by element, so memory holds the
// kept products only. Source: princeton-nlp/WebShop @ 64fa2a5, load_products.
// Thread safety: a catalogue never changes and is shared between episodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/product.h"

namespace dreamgym::webshop {

/// Index of a product in the catalogue's order.
using ProductIndex = std::uint32_t;

class Catalogue {
 public:
  /// @throws Error kInvalidArgument if two products share an asin.
  explicit Catalogue(std::vector<Product> products);
  Catalogue(const Catalogue&) = delete;
  Catalogue(Catalogue&&) noexcept = default;
  Catalogue& operator=(const Catalogue&) = delete;
  Catalogue& operator=(Catalogue&&) noexcept = default;
  ~Catalogue() = default;

  [[nodiscard]] const std::vector<Product>& products() const { return products_; }
  [[nodiscard]] const Product& product(ProductIndex index) const { return products_[index]; }
  [[nodiscard]] std::size_t size() const { return products_.size(); }
  /// The product's index, or nothing.
  [[nodiscard]] std::optional<ProductIndex> find(std::string_view asin) const;

 private:
  std::vector<Product> products_;
  std::unordered_map<std::string_view, ProductIndex> by_asin_;  ///< views into products_
};

/// @param max_products  reads the first so many entries only; 0 = all.
/// @throws Error kNotFound naming the missing file; kParse naming file, entry and key if an entry
///               has no name, a price that is no number, options of another shape and the like.
Catalogue load_catalogue(const Path& folder, std::size_t max_products = 0);

/// "$12.99", "$10.00 - $20.00" or "" as numbers: what stands behind each '$', digits and points
/// only; the first two. "" is 100 dollars.
/// @throws Error kParse if there is no number.
std::vector<double> parse_prices(std::string_view pricing);
/// "$34.0", "$10.0 to $20.0".
std::string price_tag(const std::vector<double>& prices);

}  // namespace dreamgym::webshop
