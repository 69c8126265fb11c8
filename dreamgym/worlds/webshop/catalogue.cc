#include "dreamgym/worlds/webshop/catalogue.h"

#include "dreamgym/worlds/webshop/catalogue_builder.h"
#include "dreamgym/worlds/webshop/internal/product_record.h"
#include "dreamgym/worlds/webshop/internal/section_ids.h"

namespace dreamgym::webshop {
namespace {

std::vector<ProductIndex> places_of(std::span<const std::uint32_t> numbers,
                                    std::optional<std::uint32_t> wanted) {
  std::vector<ProductIndex> places;
  for (std::size_t i = 0; wanted && i < numbers.size(); ++i) {
    if (numbers[i] == *wanted) {
      places.push_back(static_cast<ProductIndex>(i));
    }
  }
  return places;
}

std::shared_ptr<const SectionFile> in_memory(const std::vector<Product>& products) {
  std::string bytes;
  SectionWriter writer([&](std::string_view piece) { bytes += piece; }, "");
  CatalogueBuilder builder(writer);
  for (const Product& product : products) {
    builder.add(product);
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    builder.set_attributes(static_cast<ProductIndex>(i), products[i]);
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (!products[i].human_instructions.empty()) {
      builder.set_instructions(static_cast<ProductIndex>(i), products[i].human_instructions);
    }
  }
  builder.finish();
  return std::make_shared<const SectionFile>(std::move(bytes));
}

}  // namespace

Catalogue::Catalogue(const std::vector<Product>& products) : Catalogue(in_memory(products)) {}

Catalogue::Catalogue(std::shared_ptr<const SectionFile> file)
    : file_(std::move(file)),
      asins_(*file_, section_ids::kAsins),
      categories_(*file_, section_ids::kCategories),
      queries_(*file_, section_ids::kQueries),
      attributes_(*file_, section_ids::kAttributes),
      products_(file_->section(section_ids::kProducts)),
      attribute_records_(file_->section(section_ids::kAttributeRecords)),
      instructions_(file_->section(section_ids::kInstructions)),
      product_begins_(file_->values<std::uint64_t>(section_ids::kProductBegins)),
      attribute_begins_(file_->values<std::uint64_t>(section_ids::kAttributeBegins)),
      instruction_begins_(file_->values<std::uint64_t>(section_ids::kInstructionBegins)),
      prices_(file_->values<PriceRange>(section_ids::kPrices)),
      category_numbers_(file_->values<std::uint32_t>(section_ids::kCategoryNumbers)),
      query_numbers_(file_->values<std::uint32_t>(section_ids::kQueryNumbers)),
      human_goals_(file_->values<HumanGoalEntry>(section_ids::kHumanGoals)),
      synthetic_goals_(file_->values<SyntheticGoalEntry>(section_ids::kSyntheticGoals)),
      attribute_counts_(file_->values<std::uint64_t>(section_ids::kAttributeCounts)),
      index_(file_) {}

std::string_view Catalogue::title(ProductIndex index) const {
  return ProductRecord(read_record(products_, product_begins_[index])).title();
}

std::string_view Catalogue::price_tag(ProductIndex index) const {
  return ProductRecord(read_record(products_, product_begins_[index])).price_tag();
}

std::vector<ProductOption> Catalogue::options(ProductIndex index) const {
  return ProductRecord(read_record(products_, product_begins_[index])).options();
}

Product Catalogue::product(ProductIndex index) const {
  Product product;
  ProductRecord(read_record(products_, product_begins_[index])).read(product);
  product.asin = asin(index);
  product.category = categories_.text(category_numbers_[index]);
  product.query = queries_.text(query_numbers_[index]);
  const PriceRange& price = prices_[index];
  product.prices =
      price.is_range != 0 ? std::vector{price.low, price.high} : std::vector{price.low};
  if (const auto begin = attribute_begins_[index]; begin != kNoRecord) {
    read_attributes(read_record(attribute_records_, begin), product);
  } else {
    product.attributes = {std::string(kNoAttributes)};
  }
  if (const auto begin = instruction_begins_[index]; begin != kNoRecord) {
    product.human_instructions = read_instructions(read_record(instructions_, begin));
  }
  return product;
}

std::vector<ProductIndex> Catalogue::with_category(std::string_view category) const {
  return places_of(category_numbers_, categories_.find(category));
}

std::vector<ProductIndex> Catalogue::with_query(std::string_view query) const {
  return places_of(query_numbers_, queries_.find(query));
}

std::uint64_t Catalogue::attribute_count(std::string_view attribute) const {
  const auto number = attributes_.find(attribute);
  return number ? attribute_counts_[*number] : 0;
}

}  // namespace dreamgym::webshop
