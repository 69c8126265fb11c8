// A product in bytes: three records, since its texts, attributes and instructions come from three
// files. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/internal/record_codec.h"
#include "dreamgym/worlds/webshop/internal/section_file.h"
#include "dreamgym/worlds/webshop/product.h"

namespace dreamgym::webshop {

/// In a column of begins: the product has no such record.
inline constexpr std::uint64_t kNoRecord = ~std::uint64_t{0};
/// The one attribute of a product that the file of attributes lacks.
inline constexpr std::string_view kNoAttributes = "DUMMY_ATTR";

/// Writes the record's size and bytes. @return  where it begins in the section being written.
std::uint64_t write_record(SectionWriter& writer, const ByteWriter& record);
/// @throws Error kCorrupt if it is damaged.
std::string_view read_record(const SectionBytes& section, std::uint64_t begin);

/// Texts and options; what is shown most often comes first.
ByteWriter product_record(const Product& product);
ByteWriter attribute_record(const Product& product);
ByteWriter instruction_record(const std::vector<HumanInstruction>& instructions);

/// Reads what product_record() wrote; each member once, and those after it.
class ProductRecord {
 public:
  explicit ProductRecord(std::string_view bytes) : reader_(bytes) {}
  std::string_view title() { return reader_.text(); }
  std::string_view price_tag();
  std::vector<ProductOption> options();
  void read(Product& product);

 private:
  std::vector<ProductOption> read_options();

  ByteReader reader_;
};

/// Sets attributes and synthetic instruction.
void read_attributes(std::string_view record, Product& product);
std::vector<HumanInstruction> read_instructions(std::string_view record);

}  // namespace dreamgym::webshop
