// One shopper in the shop: what an action does, as the original's text environment does it.
//
// "search[words]" is always possible; "click[element]" if the element is on the page (any case).
// Anything else changes nothing. Quirks kept: the page a "< prev" belongs to is guessed from the
// url, which a search for "item_page" can fool; see docs/worlds/webshop.md.
// Thread safety: none; sessions share the shop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/webshop/page.h"
#include "dreamgym/worlds/webshop/shop.h"

namespace dreamgym::webshop {

/// "name[argument]" as the original reads it: the last bracket that fits, first line only.
struct ParsedAction {
  std::string name{};
  std::string argument{};  ///< lower-cased; "" if there is none
};
ParsedAction parse_action(std::string_view action);

class Session {
 public:
  /// @param id    part of the urls.
  /// @param seed  of what "search[<r>]" (random products) shows.
  Session(std::shared_ptr<const Shop> shop, std::string id, Goal goal, std::uint64_t seed);

  /// @return  false if the action was not possible and nothing changed.
  bool act(std::string_view action);

  [[nodiscard]] const SessionState& state() const { return state_; }
  [[nodiscard]] const std::vector<Clickable>& clickables() const { return clickables_; }
  [[nodiscard]] bool done() const { return state_.page_kind == PageKind::kDone; }
  [[nodiscard]] const Shop& shop() const { return *shop_; }

 private:
  bool search(std::vector<std::string> keywords, std::int64_t page_number);
  bool click(const Clickable& element);
  bool open_item(const Clickable& element);
  void open_sub_page(std::string name);
  void open_search();
  void buy();
  void enter(PageKind kind);
  /// Every product the keywords find; false if the original would fail.
  bool find_products(const std::vector<std::string>& keywords, std::vector<ProductIndex>& found);

  std::shared_ptr<const Shop> shop_;
  SessionState state_;
  std::vector<Clickable> clickables_;
  Rng rng_;
};

}  // namespace dreamgym::webshop
