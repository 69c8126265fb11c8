#include "dreamgym/worlds/webshop/shop_memory.h"

#include <algorithm>
#include <utility>

namespace dreamgym::webshop {
namespace {

/// The option a value belongs to; the last of several, as in the shop.
std::size_t option_of(const PageView& page, const std::string& value) {
  std::size_t found = page.options.size();
  for (std::size_t i = 0; i < page.options.size(); ++i) {
    if (std::ranges::find(page.options[i].values, value) != page.options[i].values.end()) {
      found = i;
    }
  }
  return found;
}

}  // namespace

SecondLook ShopMemory::observe(const ParsedAction& action, const PageView& next) {
  const PageView before = std::exchange(page_, next);
  if (action.name == "search" && next.kind == PageKind::kResults) {
    query_ = action.argument;
  }
  if (next.kind == PageKind::kItem && before.kind == PageKind::kResults) {
    item_ = python_upper(action.argument);
    chosen_.clear();
  } else if (next.kind == PageKind::kItem && before.kind == PageKind::kItem) {
    if (const std::size_t option = option_of(before, action.argument);
        option < before.options.size()) {
      chosen_[option] = action.argument;
    }
  } else if (next.kind == PageKind::kSubPage) {
    sub_page_ = before.kind == PageKind::kSubPage ? sub_page_ : action.argument;
  } else if (next.kind == PageKind::kSearch || next.kind == PageKind::kResults) {
    item_.clear();
    chosen_.clear();
  }
  return keep(next);
}

std::vector<std::string> ShopMemory::chosen() const {
  std::vector<std::string> values;
  values.reserve(chosen_.size());
  for (const auto& [option, value] : chosen_) {
    values.push_back(value);
  }
  return values;
}

const ProductMemory* ShopMemory::product(const std::string& asin) const {
  const auto found = products_.find(asin);
  return found == products_.end() ? nullptr : &found->second;
}

const std::vector<std::string>* ShopMemory::results(const std::string& query,
                                                    std::size_t page_number) const {
  const auto found = results_.find({query, page_number});
  return found == results_.end() ? nullptr : &found->second;
}

SecondLook ShopMemory::keep(const PageView& page) {
  switch (page.kind) {
    case PageKind::kResults: {
      for (const ShownProduct& shown : page.products) {
        ProductMemory& product = products_[shown.asin];
        product.title = shown.title;
        product.price = shown.price;
      }
      const std::vector<std::string> asins = asins_of(page);
      const auto [known, is_new] = results_.try_emplace({query_, page.page_number}, asins);
      return {.is_one = !is_new, .agrees = !is_new && known->second == asins};
    }
    case PageKind::kItem: {
      ProductMemory& product = products_[item_];
      const bool agrees = product.opened && product.title == page.title &&
                          product.price == page.price &&
                          option_texts(product.options) == option_texts(page.options);
      const bool opened = std::exchange(product.opened, true);
      product.title = page.title;
      product.price = page.price;
      product.options = page.options;
      return {.is_one = opened, .agrees = agrees};
    }
    case PageKind::kSubPage: {
      auto [known, is_new] = products_[item_].sub_pages.try_emplace(sub_page_, page.body);
      return {.is_one = !is_new, .agrees = !is_new && known->second == page.body};
    }
    case PageKind::kSearch:
    case PageKind::kDone:
      break;
  }
  return {};
}

std::vector<std::string> asins_of(const PageView& page) {
  std::vector<std::string> asins;
  asins.reserve(page.products.size());
  for (const ShownProduct& product : page.products) {
    asins.push_back(product.asin);
  }
  return asins;
}

std::vector<std::string> option_texts(const std::vector<ShownOption>& options) {
  std::vector<std::string> texts;
  for (const ShownOption& option : options) {
    texts.push_back(option.name);
    texts.insert(texts.end(), option.values.begin(), option.values.end());
  }
  return texts;
}

}  // namespace dreamgym::webshop
