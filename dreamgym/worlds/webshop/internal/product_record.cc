#include "dreamgym/worlds/webshop/internal/product_record.h"

#include <cstring>

namespace dreamgym::webshop {
namespace {

using RecordSize = std::uint32_t;

void write_optional(ByteWriter& record, const std::optional<std::string>& text) {
  record.number(text ? 1 : 0);
  if (text) {
    record.text(*text);
  }
}

std::optional<std::string> read_optional(ByteReader& reader) {
  return reader.number() == 0 ? std::nullopt : std::optional<std::string>(reader.text());
}

}  // namespace

std::uint64_t write_record(SectionWriter& writer, const ByteWriter& record) {
  const std::uint64_t begin = writer.size_bytes();
  const auto size = static_cast<RecordSize>(record.bytes().size());
  writer.write({reinterpret_cast<const char*>(&size), sizeof(size)});
  writer.write(record.bytes());
  return begin;
}

std::string_view read_record(const SectionBytes& section, std::uint64_t begin) {
  RecordSize size = 0;
  std::memcpy(&size, section.get(begin, sizeof(size)).data(), sizeof(size));
  return section.get(begin + sizeof(size), size);
}

ByteWriter product_record(const Product& product) {
  ByteWriter record;
  record.text(product.title);
  record.text(product.price_tag);
  record.number(product.options.size());
  for (const ProductOption& option : product.options) {
    record.text(option.name);
    record.texts(option.values);
  }
  record.text(product.description);
  record.texts(product.bullets);
  record.text(product.product_category);
  record.text(product.main_image);
  record.number(product.option_images.size());
  for (const auto& [value, image] : product.option_images) {
    record.text(value);
    write_optional(record, image);
  }
  return record;
}

ByteWriter attribute_record(const Product& product) {
  ByteWriter record;
  record.texts(product.attributes);
  write_optional(record, product.synthetic_instruction);
  record.texts(product.synthetic_attributes);
  return record;
}

ByteWriter instruction_record(const std::vector<HumanInstruction>& instructions) {
  ByteWriter record;
  record.number(instructions.size());
  for (const HumanInstruction& each : instructions) {
    record.text(each.text);
    record.texts(each.attributes);
    record.texts(each.options);
  }
  return record;
}

std::string_view ProductRecord::price_tag() {
  reader_.text();
  return reader_.text();
}

std::vector<ProductOption> ProductRecord::options() {
  reader_.text();
  reader_.text();
  return read_options();
}

std::vector<ProductOption> ProductRecord::read_options() {
  std::vector<ProductOption> options;
  for (std::uint64_t count = reader_.number(); count > 0; --count) {
    ProductOption& option = options.emplace_back();
    option.name = reader_.text();
    option.values = reader_.texts();
  }
  return options;
}

void ProductRecord::read(Product& product) {
  product.title = reader_.text();
  product.price_tag = reader_.text();
  product.options = read_options();
  product.description = reader_.text();
  product.bullets = reader_.texts();
  product.product_category = reader_.text();
  product.main_image = reader_.text();
  for (std::uint64_t count = reader_.number(); count > 0; --count) {
    std::string value(reader_.text());
    product.option_images.emplace_hint(
        product.option_images.end(), std::move(value), read_optional(reader_));
  }
}

void read_attributes(std::string_view record, Product& product) {
  ByteReader reader(record);
  product.attributes = reader.texts();
  product.synthetic_instruction = read_optional(reader);
  product.synthetic_attributes = reader.texts();
}

std::vector<HumanInstruction> read_instructions(std::string_view record) {
  ByteReader reader(record);
  std::vector<HumanInstruction> instructions;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    HumanInstruction& each = instructions.emplace_back();
    each.text = reader.text();
    each.attributes = reader.texts();
    each.options = reader.texts();
  }
  return instructions;
}

}  // namespace dreamgym::webshop
