// What a shopper sees: the pages of the shop as text, as text with marked elements, as HTML.
//
// A page follows from the session's state alone. Source: princeton-nlp/WebShop @ 64fa2a5, templates
// and convert_html_to_text. Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/internal/python_text.h"
#include "dreamgym/worlds/webshop/reward.h"
#include "dreamgym/worlds/webshop/shop.h"

namespace dreamgym::webshop {

enum class PageKind { kSearch, kResults, kItem, kSubPage, kDone };

enum class ObservationMode { kText, kTextRich, kHtml, kUrl };

/// "text", "text_rich", "html", "url". @throws Error kInvalidArgument naming them.
ObservationMode observation_mode_from_name(std::string_view name);

/// Where a shopper is, and what they chose so far.
struct SessionState {
  std::string id{};  ///< part of every url
  Goal goal{};
  PageKind page_kind = PageKind::kSearch;
  std::string url{};
  std::vector<std::string> keywords{};
  std::int64_t page_number = 0;         ///< of the results, from 1
  std::vector<ProductIndex> on_page{};  ///< products of the results page
  std::size_t num_results = 0;
  ProductIndex product = 0;            ///< of item, sub and done page
  std::string sub_page{};              ///< "Description", "Features", "Reviews", "Attributes"
  TextDict options{};                  ///< chosen values by option name
  std::set<std::string> seen_asins{};  ///< clicked since the last search page
  Reward reward{};                     ///< of the done page
};

/// An element that can be clicked.
struct Clickable {
  enum class Kind { kButton, kProduct, kOption };
  std::string name{};  ///< lower-cased text
  Kind kind = Kind::kButton;
  std::string option_name{};  ///< of an option value
  bool operator==(const Clickable&) const = default;
};

/// In the original's order: buttons, products, option values; equal names once, the last one
/// counts.
std::vector<Clickable> list_clickables(const Shop& shop, const SessionState& state);

std::string render(const Shop& shop, const SessionState& state, ObservationMode mode);

/// The url of the state's page; `state.url` is set from it when the page is entered.
std::string page_url(const Shop& shop, const SessionState& state);

}  // namespace dreamgym::webshop
