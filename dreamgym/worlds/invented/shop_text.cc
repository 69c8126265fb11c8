// What a shop's pages say.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "dreamgym/worlds/invented/shop_world.h"

namespace dreamgym::invented {
namespace {

constexpr std::size_t kPerPage = 3;

}  // namespace

int ShopWorld::num_pages() const {
  return static_cast<int>((results_[query_].size() + kPerPage - 1) / kPerPage);
}

std::vector<int> ShopWorld::on_page() const {
  const std::vector<int>& found = results_[query_];
  const std::size_t first = static_cast<std::size_t>(page_index_) * kPerPage;
  const std::size_t last = std::min(found.size(), first + kPerPage);
  return {found.begin() + static_cast<std::ptrdiff_t>(std::min(first, last)),
          found.begin() + static_cast<std::ptrdiff_t>(last)};
}

std::string ShopWorld::results_text() const {
  std::vector<std::string> entries;
  for (const int index : on_page()) {
    const Product& product = products_[index];
    entries.push_back(fill(wording_.entry,
                           {{'c', product.code},
                            {'b', brands_[product.brand]},
                            {'k', kinds_[product.kind]},
                            {'d', std::to_string(product.price)}}));
  }
  return fill(wording_.results,
              {{'n', std::to_string(page_index_ + 1)},
               {'m', std::to_string(std::max(1, num_pages()))},
               {'q', kinds_[query_]},
               {'l', list_text(entries, {"", ", ", ", ", "nothing found"})}});
}

std::string ShopWorld::item_text() const {
  const Product& product = products_[item_];
  std::string text = fill(wording_.item,
                          {{'c', product.code},
                           {'b', brands_[product.brand]},
                           {'k', kinds_[product.kind]},
                           {'d', std::to_string(product.price)}});
  text += fill(wording_.colours, {{'l', option_list(product.colours, colours_)}});
  text += fill(wording_.sizes, {{'l', option_list(product.sizes, sizes_)}});
  if (colour_ >= 0 || size_ >= 0) {
    text += fill(wording_.chosen, {{'x', chosen()}});
  }
  return text;
}

std::string ShopWorld::option_list(const std::vector<int>& options,
                                   const std::vector<std::string>& names) const {
  std::vector<std::string> texts;
  for (const int option : options) {
    texts.push_back(names[option]);
  }
  return list_text(texts, {"", ", ", ", ", "nothing"});
}

std::string ShopWorld::at() const {
  switch (page_) {
    case Page::kStart:
      return "start";
    case Page::kResults:
      return kinds_[query_] + " page " + std::to_string(page_index_ + 1);
    case Page::kItem:
      break;
  }
  return products_[item_].code;
}

std::string ShopWorld::chosen() const {
  if (colour_ < 0 && size_ < 0) {
    return "nothing";
  }
  std::string text = colour_ >= 0 ? colours_[colour_] : "";
  if (size_ >= 0) {
    text += (text.empty() ? "" : " ") + sizes_[size_];
  }
  return text;
}

/// The wished attributes of something, in a fixed order.
std::string ShopWorld::describe(int brand, int kind, int colour, int size, bool cheap) const {
  std::string text;
  if (wish_.brand >= 0) {
    text += brands_[brand] + " ";
  }
  text += kinds_[kind];
  if (wish_.colour >= 0) {
    text += " " + (colour < 0 ? "none" : colours_[colour]);
  }
  if (wish_.size >= 0) {
    text += " " + (size < 0 ? "none" : sizes_[size]);
  }
  if (wish_.limit >= 0) {
    text += (cheap ? " under " : " over ") + std::to_string(wish_.limit);
  }
  return text;
}

}  // namespace dreamgym::invented
