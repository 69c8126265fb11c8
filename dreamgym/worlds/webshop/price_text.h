// Prices as the catalogue's files and the shop's pages write them. Thread safety: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::webshop {

/// "$12.99", "$10.00 - $20.00" or "" as numbers: what stands behind each '$', digits and points
/// only; the first two. "" is 100 dollars.
/// @throws Error kParse if there is no number.
std::vector<double> parse_prices(std::string_view pricing);
/// "$34.0", "$10.0 to $20.0".
std::string price_tag(const std::vector<double>& prices);

}  // namespace dreamgym::webshop
