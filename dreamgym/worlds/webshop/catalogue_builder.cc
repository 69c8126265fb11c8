#include "dreamgym/worlds/webshop/catalogue_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dreamgym/base/error.h"
#include "dreamgym/worlds/webshop/internal/product_record.h"
#include "dreamgym/worlds/webshop/internal/section_ids.h"

namespace dreamgym::webshop {
namespace {

std::uint32_t num_combinations(const Product& product) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t count = 1;
  for (const ProductOption& option : product.options) {
    count = std::min<std::uint64_t>(count * option.values.size(), kMost);
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace

CatalogueBuilder::CatalogueBuilder(SectionWriter& writer) : writer_(writer) {
  writer_.begin(section_ids::kProducts, CheckTime::kOnTouch);
}

void CatalogueBuilder::add(const Product& product) {
  check(part_ == Part::kProducts, "products come before attributes and instructions");
  if (asins_.add(product.asin) != product_begins_.size()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("catalogue: expected distinct asins, got \"{}\" twice", product.asin));
  }
  product_begins_.push_back(write_record(writer_, product_record(product)));
  attribute_begins_.push_back(kNoRecord);
  instruction_begins_.push_back(kNoRecord);
  PriceRange price;
  if (!product.prices.empty()) {
    price = {.low = product.prices.front(),
             .high = product.prices.back(),
             .is_range = product.prices.size() > 1 ? 1U : 0U};
  }
  prices_.push_back(price);
  category_numbers_.push_back(categories_.add(product.category));
  query_numbers_.push_back(queries_.add(product.query));
  combinations_.push_back(num_combinations(product));
  index_.add(product.asin, searchable_text(product));
}

void CatalogueBuilder::set_attributes(ProductIndex product, const Product& from) {
  go_on_to(Part::kAttributes);
  attribute_begins_[product] = write_record(writer_, attribute_record(from));
  if (from.synthetic_instruction) {
    synthetic_goals_.push_back(
        {.product = product,
         .record = attribute_begins_[product],
         .first = synthetic_attributes_.size(),
         .count = static_cast<std::uint32_t>(from.synthetic_attributes.size())});
    for (const std::string& attribute : from.synthetic_attributes) {
      synthetic_attributes_.push_back(attributes_.add(attribute));
    }
  }
}

void CatalogueBuilder::set_instructions(ProductIndex product,
                                        const std::vector<HumanInstruction>& instructions) {
  go_on_to(Part::kInstructions);
  instruction_begins_[product] = write_record(writer_, instruction_record(instructions));
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i].attributes.empty()) {
      human_goals_.push_back(
          {.entry = {.product = product, .instruction = static_cast<std::uint32_t>(i)},
           .record = instruction_begins_[product]});
    }
  }
}

void CatalogueBuilder::finish() {
  go_on_to(Part::kRest);
  asins_.write(writer_, section_ids::kAsins);
  categories_.write(writer_, section_ids::kCategories);
  queries_.write(writer_, section_ids::kQueries);
  attributes_.write(writer_, section_ids::kAttributes);
  writer_.write_all(section_ids::kProductBegins, product_begins_);
  writer_.write_all(section_ids::kAttributeBegins, attribute_begins_);
  writer_.write_all(section_ids::kInstructionBegins, instruction_begins_);
  writer_.write_all(section_ids::kPrices, prices_);
  writer_.write_all(section_ids::kCategoryNumbers, category_numbers_);
  writer_.write_all(section_ids::kQueryNumbers, query_numbers_);
  writer_.write_all(section_ids::kHumanGoals, list_human_goals());
  writer_.write_all(section_ids::kSyntheticGoals, list_synthetic_goals());
  writer_.write_all(section_ids::kAttributeCounts, attribute_counts_);
  index_.write(writer_);
  writer_.finish();
}

void CatalogueBuilder::go_on_to(Part part) {
  check(part >= part_, "attributes come before instructions");
  while (part_ < part) {
    writer_.end();
    part_ = static_cast<Part>(static_cast<int>(part_) + 1);
    if (part_ == Part::kAttributes) {
      writer_.begin(section_ids::kAttributeRecords, CheckTime::kOnTouch);
    } else if (part_ == Part::kInstructions) {
      writer_.begin(section_ids::kInstructions, CheckTime::kOnTouch);
    }
  }
}

std::vector<SyntheticGoalEntry> CatalogueBuilder::list_synthetic_goals() {
  std::ranges::sort(synthetic_goals_, {}, &SyntheticGoals::product);
  attribute_counts_.assign(attributes_.size(), 0);
  std::vector<SyntheticGoalEntry> entries;
  for (const SyntheticGoals& goals : synthetic_goals_) {
    if (goals.record != attribute_begins_[goals.product]) {
      continue;
    }
    entries.push_back({goals.product, combinations_[goals.product]});
    for (std::size_t i = goals.first; i < goals.first + goals.count; ++i) {
      attribute_counts_[synthetic_attributes_[i]] += combinations_[goals.product];
    }
  }
  return entries;
}

std::vector<HumanGoalEntry> CatalogueBuilder::list_human_goals() {
  std::ranges::sort(human_goals_, {}, [](const HumanGoals& goals) {
    return std::pair(goals.entry.product, goals.entry.instruction);
  });
  std::vector<HumanGoalEntry> entries;
  for (const HumanGoals& goals : human_goals_) {
    if (goals.record == instruction_begins_[goals.entry.product]) {
      entries.push_back(goals.entry);
    }
  }
  return entries;
}

}  // namespace dreamgym::webshop
