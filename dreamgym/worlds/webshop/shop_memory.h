// What an episode's text has shown of the shop so far, for whoever checks it.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/session.h"

namespace dreamgym::webshop {

/// What was shown of a product; "" or empty = not yet.
struct ProductMemory {
  std::string title{};
  std::string price{};
  bool opened = false;  ///< `options` was shown
  std::vector<ShownOption> options{};
  std::map<std::string, std::vector<std::string>> sub_pages{};  ///< by lower-cased name
};

/// Contents that the episode has shown before.
struct SecondLook {
  bool is_one = false;
  bool agrees = false;  ///< they are the same
};

class ShopMemory {
 public:
  explicit ShopMemory(PageView first_page) : page_(std::move(first_page)) {}

  /// Takes in the page that followed the action.
  SecondLook observe(const ParsedAction& action, const PageView& next);

  [[nodiscard]] const PageView& page() const { return page_; }
  [[nodiscard]] const std::string& query() const { return query_; }
  [[nodiscard]] const std::string& item() const { return item_; }  ///< asin, upper case
  [[nodiscard]] const std::string& sub_page() const { return sub_page_; }
  /// Values clicked since the item was opened; of one option the last one.
  [[nodiscard]] std::vector<std::string> chosen() const;
  /// What was shown of that product; nothing where it was not shown.
  [[nodiscard]] const ProductMemory* product(const std::string& asin) const;
  /// Asins of that page of the results; nothing where it was not shown.
  [[nodiscard]] const std::vector<std::string>* results(const std::string& query,
                                                        std::size_t page_number) const;

 private:
  SecondLook keep(const PageView& page);

  PageView page_;
  std::string query_;
  std::string item_;
  std::string sub_page_;
  std::map<std::size_t, std::string> chosen_;  ///< by number of the option on the page
  std::map<std::string, ProductMemory> products_;
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> results_;
};

/// Of the products on a results page, in order.
std::vector<std::string> asins_of(const PageView& page);

/// Names and values of all options in one list: text mode does not always tell them apart.
std::vector<std::string> option_texts(const std::vector<ShownOption>& options);

}  // namespace dreamgym::webshop
