#include "dreamgym/worlds/webshop/price_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {

std::vector<double> parse_prices(std::string_view pricing) {
  if (pricing.empty()) {
    return {100.0};
  }
  std::vector<double> prices;
  std::vector<std::string> pieces = split(pricing, '$');
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    std::string& digits = pieces[i];
    std::erase_if(digits, [](char c) { return c != '.' && (c < '0' || c > '9'); });
    double price = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, price);
    if (read.ec != std::errc() || read.ptr != end) {
      prices.clear();
      break;
    }
    prices.push_back(price);
  }
  if (prices.empty()) {
    throw Error(ErrorKind::kParse,
                fmt::format("price: expected \"$1.23\" or \"$1.23 - $4.56\", got \"{}\"",
                            shorten(pricing, 60)));
  }
  prices.resize(std::min<std::size_t>(prices.size(), 2));
  return prices;
}

std::string price_tag(const std::vector<double>& prices) {
  return prices.size() == 1
             ? fmt::format("${}", python_repr(prices[0]))
             : fmt::format("${} to ${}", python_repr(prices[0]), python_repr(prices[1]));
}

}  // namespace dreamgym::webshop
