// The shop's products, kept in a form that is read where it lies: in memory or in a mapped file.
//
// Texts of a product are decoded when asked for; what is gone through for all products at once
// (prices, goals, categories) stands in columns. The search index is part of it.
// Thread safety: a catalogue never changes and is shared between episodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/internal/section_file.h"
#include "dreamgym/worlds/webshop/internal/string_table.h"
#include "dreamgym/worlds/webshop/product.h"
#include "dreamgym/worlds/webshop/search_index.h"

namespace dreamgym::webshop {

/// Index of a product in the catalogue's order.
using ProductIndex = std::uint32_t;

/// In dollars. Stored as it is.
struct PriceRange {
  double low = 0;
  double high = 0;
  std::uint64_t is_range = 0;  ///< 0 or 1: one price or two, which may be equal
};

/// A human instruction that makes a goal. Stored as it is.
struct HumanGoalEntry {
  ProductIndex product = 0;
  std::uint32_t instruction = 0;  ///< which of the product's
};

/// A product whose synthetic instruction makes goals. Stored as it is.
struct SyntheticGoalEntry {
  ProductIndex product = 0;
  std::uint32_t combinations = 0;  ///< of its option values; at most 2^32 - 1
};

/// Members that return texts or products throw Error kCorrupt if the mapped file is damaged there.
/// Lifetime: views live as long as the catalogue.
class Catalogue {
 public:
  /// In memory. @throws Error kInvalidArgument if two products share an asin.
  explicit Catalogue(const std::vector<Product>& products);
  /// Over what CatalogueBuilder wrote.
  explicit Catalogue(std::shared_ptr<const SectionFile> file);

  [[nodiscard]] std::size_t size() const { return asins_.size(); }
  [[nodiscard]] std::string_view asin(ProductIndex index) const { return asins_.text(index); }
  [[nodiscard]] std::string_view title(ProductIndex index) const;
  [[nodiscard]] std::string_view price_tag(ProductIndex index) const;
  [[nodiscard]] std::vector<ProductOption> options(ProductIndex index) const;
  /// All of it.
  [[nodiscard]] Product product(ProductIndex index) const;
  /// The product's index, or nothing.
  [[nodiscard]] std::optional<ProductIndex> find(std::string_view asin) const {
    return asins_.find(asin);
  }
  /// Products of exactly that category, in order.
  [[nodiscard]] std::vector<ProductIndex> with_category(std::string_view category) const;
  /// Products that exactly that query found.
  [[nodiscard]] std::vector<ProductIndex> with_query(std::string_view query) const;

  [[nodiscard]] std::span<const PriceRange> prices() const { return prices_; }  ///< [size()]
  [[nodiscard]] std::span<const HumanGoalEntry> human_goals() const { return human_goals_; }
  [[nodiscard]] std::span<const SyntheticGoalEntry> synthetic_goals() const {
    return synthetic_goals_;
  }
  /// How many synthetic goals ask for the attribute.
  [[nodiscard]] std::uint64_t attribute_count(std::string_view attribute) const;
  [[nodiscard]] const SearchIndex& index() const { return index_; }
  [[nodiscard]] std::size_t size_bytes() const { return file_->size_bytes(); }

 private:
  std::shared_ptr<const SectionFile> file_;
  StringTable asins_;
  StringTable categories_;
  StringTable queries_;
  StringTable attributes_;
  SectionBytes products_;
  SectionBytes attribute_records_;
  SectionBytes instructions_;
  std::span<const std::uint64_t> product_begins_;
  std::span<const std::uint64_t> attribute_begins_;
  std::span<const std::uint64_t> instruction_begins_;
  std::span<const PriceRange> prices_;
  std::span<const std::uint32_t> category_numbers_;
  std::span<const std::uint32_t> query_numbers_;
  std::span<const HumanGoalEntry> human_goals_;
  std::span<const SyntheticGoalEntry> synthetic_goals_;
  std::span<const std::uint64_t> attribute_counts_;
  SearchIndex index_;
};

}  // namespace dreamgym::webshop
