// Writes a catalogue and its search index, product after product, without holding the products.
//
// Order of calls: add() for every product, set_attributes(), set_instructions(), finish().
// Memory: per product its asin and some 100 bytes of columns, and the index's postings.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/catalogue.h"

namespace dreamgym::webshop {

class CatalogueBuilder {
 public:
  /// @param writer  borrowed until finish().
  explicit CatalogueBuilder(SectionWriter& writer);

  /// Texts, options, prices and category; its attributes and instructions come later.
  /// @throws Error kInvalidArgument if there is a product of that asin.
  void add(const Product& product);
  [[nodiscard]] std::size_t size() const { return asins_.size(); }
  [[nodiscard]] std::optional<ProductIndex> find(std::string_view asin) const {
    return asins_.find(asin);
  }
  /// Attributes and synthetic instruction of `from`; the last call for a product counts.
  void set_attributes(ProductIndex product, const Product& from);
  /// As above.
  void set_instructions(ProductIndex product, const std::vector<HumanInstruction>& instructions);
  void finish();

 private:
  enum class Part { kProducts, kAttributes, kInstructions, kRest };
  struct SyntheticGoals {
    ProductIndex product = 0;
    std::uint64_t record = 0;  ///< of the attributes; an overwritten one counts for nothing
    std::size_t first = 0;     ///< of its attributes in synthetic_attributes_
    std::uint32_t count = 0;   ///< of them
  };
  struct HumanGoals {
    HumanGoalEntry entry{};
    std::uint64_t record = 0;  ///< as above
  };

  /// Ends the section being written and begins those up to the part's.
  void go_on_to(Part part);
  [[nodiscard]] std::vector<SyntheticGoalEntry> list_synthetic_goals();
  [[nodiscard]] std::vector<HumanGoalEntry> list_human_goals();

  SectionWriter& writer_;
  Part part_ = Part::kProducts;
  StringTableBuilder asins_;
  StringTableBuilder categories_;
  StringTableBuilder queries_;
  StringTableBuilder attributes_;
  SearchIndexBuilder index_;
  std::vector<std::uint64_t> product_begins_;
  std::vector<std::uint64_t> attribute_begins_;
  std::vector<std::uint64_t> instruction_begins_;
  std::vector<PriceRange> prices_;
  std::vector<std::uint32_t> category_numbers_;
  std::vector<std::uint32_t> query_numbers_;
  std::vector<std::uint32_t> combinations_;
  std::vector<SyntheticGoals> synthetic_goals_;
  std::vector<std::uint32_t> synthetic_attributes_;  ///< numbers in attributes_
  std::vector<HumanGoals> human_goals_;
  std::vector<std::uint64_t> attribute_counts_;
};

}  // namespace dreamgym::webshop
