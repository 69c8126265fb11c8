#include "dreamgym/worlds/webshop/shop.h"

#include <optional>

namespace dreamgym::webshop {
Shop::Shop(std::shared_ptr<const Catalogue> catalogue, const GoalOptions& goals, NounLists nouns)
    : catalogue_(std::move(catalogue)), goals_(catalogue_, goals), nouns_(std::move(nouns)) {}

Reward Shop::reward(const Goal& goal,
                    ProductIndex bought,
                    const std::vector<std::string>& options) const {
  const Product product = catalogue_->product(bought);
  return get_reward({.product = product, .options = options, .price = goals_.price(bought)},
                    goal,
                    nouns_.find(product.asin, product.title),
                    nouns_.find(goal.asin, goal.name));
}

std::shared_ptr<const Shop> load_shop(const ShopFiles& files) {
  std::optional<PriceTable> prices;
  if (!files.prices.empty()) {
    prices = load_price_table(files.prices);
  }
  return std::make_shared<const Shop>(
      open_catalogue(files.data_folder, {.folder = files.cache, .note = files.note}),
      GoalOptions{.kind = files.goals,
                  .price_seed = files.price_seed,
                  .prices = prices ? &*prices : nullptr},
      files.nouns.empty() ? NounLists() : load_noun_lists(files.nouns));
}

}  // namespace dreamgym::webshop
