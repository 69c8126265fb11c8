#include "dreamgym/worlds/invented/shop_world.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "dreamgym/base/error.h"

namespace dreamgym::invented {
namespace {

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

std::vector<std::string> draw_words(std::vector<std::string> words, int count, Rng& rng) {
  rng.shuffle(words);
  words.resize(static_cast<std::size_t>(count));
  return words;
}

/// Some of {0, ..., count - 1}, at least one, ascending.
std::vector<int> draw_subset(std::size_t count, Rng& rng) {
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    if (chance(0.6, rng)) {
      chosen.push_back(static_cast<int>(i));
    }
  }
  if (chosen.empty()) {
    chosen.push_back(static_cast<int>(rng.below(count)));
  }
  return chosen;
}

bool has(const std::vector<int>& options, int option) {
  return option < 0 || std::ranges::find(options, option) != options.end();
}

}  // namespace

ShopWorld::ShopWorld(NameDeal& names, Rng rng) {
  draw_wording(rng);
  make_products(names, rng);
  make_wish(rng);
  make_results(rng);
}

void ShopWorld::draw_wording(Rng& rng) {
  clicks_ = chance(0.5, rng);
  Wording& w = wording_;
  w.search = clicks_ ? "search[{x}]" : one_of({"search {x}", "look for {x}", "find {x}"}, rng);
  w.open = clicks_ ? "click[{x}]" : one_of({"open {x}", "view {x}", "show {x}"}, rng);
  w.option = clicks_ ? "click[{x}]" : one_of({"choose {x}", "select {x}", "pick {x}"}, rng);
  w.next = clicks_ ? "click[next >]" : one_of({"next page", "more", "next"}, rng);
  w.previous = clicks_ ? "click[< prev]" : one_of({"previous page", "previous"}, rng);
  w.back = clicks_ ? "click[back]" : one_of({"back", "go back", "return"}, rng);
  w.buy = clicks_ ? "click[buy now]" : one_of({"buy", "buy it", "order now"}, rng);
  w.start =
      one_of({"Welcome. Search for something.", "Shop: search.", "What do you look for?"}, rng);
  w.results = one_of({"Page {n} of {m}: {l}.", "Results for {q}, page {n}: {l}.", "{l}."}, rng);
  w.entry =
      one_of({"{c} {b} {k} {d}", "{c}: {b} {k}, {d} dollars", "{c} ({b} {k}, price {d})"}, rng);
  w.item =
      one_of({"{c}: {b} {k}. Price: {d}.", "{b} {k}, {d} dollars.", "{k} by {b} for {d}."}, rng);
  w.colours = one_of({" Colours: {l}.", " colour: {l}.", " In {l}."}, rng);
  w.sizes = one_of({" Sizes: {l}.", " size: {l}.", " As {l}."}, rng);
  w.chosen = one_of({" Chosen: {x}.", " You chose {x}.", " Now {x}."}, rng);
  w.bought = one_of({"You buy the {b} {k}.", "Thank you for buying {c}.", "Sold: {c}."}, rng);
  w.refusal = one_of({"Nothing happens.", "That is not on this page.", "Invalid."}, rng);
  w.wish =
      one_of({"buy a {w}.", "i need a {w}.", "find me a {w}.", "i am looking for a {w}."}, rng);
}

void ShopWorld::make_products(NameDeal& names, Rng& rng) {
  kinds_ = names.next(static_cast<std::size_t>(between(2, 4, rng)));
  brands_ = names.next(static_cast<std::size_t>(between(2, 4, rng)));
  const bool invents_options = chance(0.4, rng);
  const int num_colours = between(2, 4, rng);
  const int num_sizes = between(1, 3, rng);
  if (invents_options) {
    colours_ = names.next(static_cast<std::size_t>(num_colours));
    sizes_ = names.next(static_cast<std::size_t>(num_sizes));
  } else {
    colours_ = draw_words(
        {"red", "blue", "green", "black", "white", "yellow", "pink", "brown"}, num_colours, rng);
    sizes_ = draw_words({"small", "medium", "large", "long", "wide"}, num_sizes, rng);
  }
  const std::size_t num_products = static_cast<std::size_t>(between(5, 10, rng));
  const bool invents_codes = chance(0.5, rng);
  for (std::size_t i = 0; i < num_products; ++i) {
    Product& product = products_.emplace_back();
    product.code = invents_codes ? names.next() : "item " + std::to_string(i + 1);
    product.kind = static_cast<int>(rng.below(kinds_.size()));
    product.brand = static_cast<int>(rng.below(brands_.size()));
    product.price = between(2, 99, rng);
    product.colours = draw_subset(colours_.size(), rng);
    product.sizes = draw_subset(sizes_.size(), rng);
  }
}

/// A wish that one of the products fulfils.
void ShopWorld::make_wish(Rng& rng) {
  const Product& model = rng.choose(products_);
  wish_.kind = model.kind;
  wish_.brand = chance(0.4, rng) ? model.brand : -1;
  wish_.colour = chance(0.8, rng) ? rng.choose(model.colours) : -1;
  wish_.size = chance(0.5, rng) ? rng.choose(model.sizes) : -1;
  const bool has_limit = chance(0.3, rng);
  wish_.limit = has_limit ? (model.price / 10 + between(1, 2, rng)) * 10 : -1;
}

void ShopWorld::make_results(Rng& rng) {
  results_.resize(kinds_.size());
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::vector<int>& found = results_[kind];
    for (int i = 0; i < static_cast<int>(products_.size()); ++i) {
      const bool is_kind = products_[i].kind == static_cast<int>(kind);
      if (is_kind || chance(0.25, rng)) {
        found.push_back(i);
      }
    }
    rng.shuffle(found);
  }
}

Opening ShopWorld::open() const {
  std::string wish;
  if (wish_.brand >= 0) {
    wish += brands_[wish_.brand] + " ";
  }
  wish += kinds_[wish_.kind];
  if (wish_.colour >= 0) {
    wish += " in " + colours_[wish_.colour];
  }
  if (wish_.size >= 0) {
    wish += (wish_.colour >= 0 ? " and " : " in ") + sizes_[wish_.size];
  }
  if (wish_.limit >= 0) {
    wish += " for less than " + std::to_string(wish_.limit) + " dollars";
  }
  return {.kind = "shop/wish",
          .instruction = fill(wording_.wish, {{'w', wish}}),
          .text = std::string(wording_.start)};
}

std::vector<Move> ShopWorld::moves() const {
  std::vector<Move> moves;
  const auto add = [&](Verb verb, int subject, std::string_view pattern, std::string_view text) {
    moves.push_back({verb, subject, -1, fill(pattern, {{'x', text}})});
  };
  if (page_ == Page::kItem) {
    add_item_moves(moves);
    return moves;
  }
  for (int kind = 0; kind < static_cast<int>(kinds_.size()); ++kind) {
    const bool is_known = kind == wish_.kind || seen_kinds_.contains(kind);
    if (is_known) {
      add(kSearch, kind, wording_.search, kinds_[kind]);
    }
  }
  if (page_ == Page::kResults) {
    for (const int product : on_page()) {
      add(kOpen, product, wording_.open, products_[product].code);
    }
    if (page_index_ + 1 < num_pages()) {
      add(kNext, -1, wording_.next, "");
    }
    if (page_index_ > 0) {
      add(kPrevious, -1, wording_.previous, "");
    }
    add(kBack, -1, wording_.back, "");
  }
  return moves;
}

void ShopWorld::add_item_moves(std::vector<Move>& moves) const {
  const Product& product = products_[item_];
  for (const int colour : product.colours) {
    moves.push_back({kColour, colour, -1, fill(wording_.option, {{'x', colours_[colour]}})});
  }
  for (const int size : product.sizes) {
    moves.push_back({kSize, size, -1, fill(wording_.option, {{'x', sizes_[size]}})});
  }
  moves.push_back({kBack, -1, -1, std::string(wording_.back)});
  moves.push_back({kBuy, -1, -1, std::string(wording_.buy)});
}

Reply ShopWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, at(), chosen())};
  }
  switch (move->verb) {
    case kSearch:
      page_ = Page::kResults;
      query_ = move->subject;
      page_index_ = 0;
      break;
    case kNext:
      ++page_index_;
      break;
    case kPrevious:
      --page_index_;
      break;
    case kBack:
      page_ = page_ == Page::kItem ? Page::kResults : Page::kStart;
      item_ = colour_ = size_ = -1;
      break;
    case kOpen:
      page_ = Page::kItem;
      item_ = move->subject;
      break;
    case kColour:
      colour_ = move->subject;
      break;
    case kSize:
      size_ = move->subject;
      break;
    default:
      return buy();
  }
  return show_page(move->verb == kColour || move->verb == kSize);
}

Reply ShopWorld::show_page(bool is_choice) {
  bool is_new = false;
  std::string text(wording_.start);
  if (page_ == Page::kResults) {
    is_new = seen_pages_.emplace(query_, page_index_).second;
    text = results_text();
    for (const int product : on_page()) {
      seen_kinds_.insert(products_[product].kind);
    }
  } else if (page_ == Page::kItem) {
    is_new = seen_items_.insert(item_).second;
    text = item_text();
  }
  const std::string_view effect = is_choice ? effects::kDone
                                  : is_new  ? effects::kNew
                                            : effects::kAgain;
  return {.text = std::move(text), .trace = make_trace(effect, at(), chosen())};
}

Reply ShopWorld::buy() {
  const Product& product = products_[item_];
  Reply reply;
  reply.text =
      fill(wording_.bought,
           {{'c', product.code}, {'b', brands_[product.brand]}, {'k', kinds_[product.kind]}});
  reply.trace = make_trace(effects::kDone, at(), chosen());
  const std::string want = describe(wish_.brand, wish_.kind, wish_.colour, wish_.size, true);
  const std::string got =
      describe(product.brand, product.kind, colour_, size_, product.price < wish_.limit);
  add_attempt(reply.trace, want, got);
  reply.reached = want == got;
  reply.over = true;
  return reply;
}

/// As far as the results show it.
bool ShopWorld::may_fit(const Product& product) const {
  if (mistake_ == Mistake::kFirstItem) {
    return true;
  }
  return product.kind == wish_.kind && (wish_.brand < 0 || product.brand == wish_.brand) &&
         (wish_.limit < 0 || product.price < wish_.limit);
}

bool ShopWorld::fits(const Product& product) const {
  return may_fit(product) && has(product.colours, wish_.colour) && has(product.sizes, wish_.size);
}

Move ShopWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  if (page_ == Page::kItem) {
    return advise_on_item(all, rng);
  }
  if (page_ == Page::kStart || query_ != wish_.kind) {
    return *find_move(all, kSearch, wish_.kind);
  }
  for (const int index : on_page()) {
    const Product& product = products_[index];
    const bool is_known_misfit = seen_items_.contains(index) && !fits(product);
    if (may_fit(product) && !is_known_misfit) {
      return *find_move(all, kOpen, index);
    }
  }
  const Move* next = find_move(all, kNext);
  return next != nullptr ? *next : *find_move(all, kSearch, wish_.kind);
}

Move ShopWorld::advise_on_item(const std::vector<Move>& moves, Rng& rng) {
  const Product& product = products_[item_];
  if (mistake_ == Mistake::kNoOptions || mistake_ == Mistake::kFirstItem) {
    return *find_move(moves, kBuy);
  }
  if (mistake_ == Mistake::kOtherOption && fits(product)) {
    return colour_ >= 0 ? *find_move(moves, kBuy)
                        : *find_move(moves, kColour, rng.choose(product.colours));
  }
  if (!fits(product)) {
    return *find_move(moves, kBack);
  }
  if (wish_.colour >= 0 && colour_ != wish_.colour) {
    return *find_move(moves, kColour, wish_.colour);
  }
  if (wish_.size >= 0 && size_ != wish_.size) {
    return *find_move(moves, kSize, wish_.size);
  }
  return *find_move(moves, kBuy);
}

void ShopWorld::mislead(Rng& rng) {
  mistake_ = static_cast<Mistake>(between(1, 3, rng));
}

}  // namespace dreamgym::invented
