// What the shop sells, as the original keeps it after cleaning a raw catalogue entry.
// Thread safety: values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dreamgym::webshop {

/// A choice a product comes in, e.g. "size": lower-cased name and values, in the file's order.
struct ProductOption {
  std::string name{};
  std::vector<std::string> values{};
  bool operator==(const ProductOption&) const = default;
};

/// A sentence somebody wrote about a product they would want.
struct HumanInstruction {
  std::string text{};
  std::vector<std::string> attributes{};  ///< that it asks for; a goal has at least one
  std::vector<std::string> options{};     ///< values that it asks for
  bool operator==(const HumanInstruction&) const = default;
};

struct Product {
  std::string asin{};  ///< at most 10 characters
  std::string title{};
  std::string description{};
  std::vector<std::string> bullets{};
  std::string category{};          ///< one word, e.g. "beauty"
  std::string query{};             ///< lower-cased search that found it, e.g. "body care"
  std::string product_category{};  ///< "A › B › C"
  std::string main_image{};
  std::vector<double> prices{};  ///< dollars: one, or the ends of a range
  std::string price_tag{};       ///< as shown: "$34.0", "$10.0 to $20.0"
  std::vector<ProductOption> options{};
  std::map<std::string, std::optional<std::string>> option_images{};  ///< by option value
  std::vector<std::string> attributes{};
  std::optional<std::string> synthetic_instruction{};
  std::vector<std::string> synthetic_attributes{};
  std::vector<HumanInstruction> human_instructions{};
  bool operator==(const Product&) const = default;
};

/// The text that is searched (lower-cased).
std::string searchable_text(const Product& product);

}  // namespace dreamgym::webshop
