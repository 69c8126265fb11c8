// What a generated shop can sell: a data table.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace dreamgym::webshop {

struct ProductKind {
  std::string_view category;
  std::string_view query;  ///< what such products are searched by
  std::string_view path;   ///< product_category
  std::string_view noun;   ///< what the thing is called
  std::span<const std::string_view> attributes;
  std::string_view first_option;
  std::span<const std::string_view> first_values;
  std::string_view second_option;  ///< "" = only one
  std::span<const std::string_view> second_values;
  double low_price;
  double high_price;
};

std::span<const ProductKind> product_kinds();
std::span<const std::string_view> brand_syllables();
std::span<const std::string_view> line_names();

}  // namespace dreamgym::webshop
