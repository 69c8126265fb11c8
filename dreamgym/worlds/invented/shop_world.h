// A shop: search results, item pages with options, and a purchase that must match the wish.
//
// Buying ends the episode, right or wrong. In traces "at" is the page and "hold" the chosen
// options. Thread safety: none.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class ShopWorld : public Simulator {
 public:
  ShopWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kSearch, kNext, kPrevious, kBack, kOpen, kColour, kSize, kBuy };
  enum class Page { kStart, kResults, kItem };
  enum class Mistake { kNone, kNoOptions, kOtherOption, kFirstItem };

  struct Product {
    std::string code;
    int kind = 0;
    int brand = 0;
    int price = 0;
    std::vector<int> colours;
    std::vector<int> sizes;
  };
  struct Wish {
    int kind = 0;
    int brand = -1;  ///< -1: any
    int colour = -1;
    int size = -1;
    int limit = -1;  ///< the price must be below
  };
  struct Wording {
    std::string_view search, open, option, next, previous, back, buy;
    std::string_view start, results, entry, item, colours, sizes, chosen, bought, refusal, wish;
  };

  void draw_wording(Rng& rng);
  void make_products(NameDeal& names, Rng& rng);
  void make_wish(Rng& rng);
  void make_results(Rng& rng);
  [[nodiscard]] std::string results_text() const;
  [[nodiscard]] std::string item_text() const;
  [[nodiscard]] std::string option_list(const std::vector<int>& options,
                                        const std::vector<std::string>& names) const;
  [[nodiscard]] std::string at() const;
  [[nodiscard]] std::string chosen() const;
  [[nodiscard]] std::string describe(int brand, int kind, int colour, int size, bool cheap) const;
  [[nodiscard]] int num_pages() const;
  [[nodiscard]] std::vector<int> on_page() const;
  void add_item_moves(std::vector<Move>& moves) const;
  Reply show_page(bool is_move_back);
  Reply buy();
  [[nodiscard]] bool may_fit(const Product& product) const;
  [[nodiscard]] bool fits(const Product& product) const;
  Move advise_on_item(const std::vector<Move>& moves, Rng& rng);

  Wording wording_;
  bool clicks_ = false;  ///< commands are "click[...]" and "search[...]"
  std::vector<std::string> kinds_, brands_, colours_, sizes_;
  std::vector<Product> products_;
  std::vector<std::vector<int>> results_;  ///< [kind] products found by its name, in order
  Wish wish_;
  Mistake mistake_ = Mistake::kNone;
  Page page_ = Page::kStart;
  int query_ = -1;
  int page_index_ = 0;
  int item_ = -1;
  int colour_ = -1;
  int size_ = -1;
  std::set<std::pair<int, int>> seen_pages_;  ///< (query, page index)
  std::set<int> seen_items_;
  std::set<int> seen_kinds_;
};

}  // namespace dreamgym::invented
