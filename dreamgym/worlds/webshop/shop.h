// All that never changes while people shop: catalogue, search index, goals, prices, nouns.
// Thread safety: immutable after construction, shared by all sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "dreamgym/worlds/webshop/catalogue_cache.h"
#include "dreamgym/worlds/webshop/goals.h"
#include "dreamgym/worlds/webshop/nouns.h"
#include "dreamgym/worlds/webshop/reward.h"

namespace dreamgym::webshop {

class Shop {
 public:
  Shop(std::shared_ptr<const Catalogue> catalogue, const GoalOptions& goals, NounLists nouns);

  [[nodiscard]] const Catalogue& catalogue() const { return *catalogue_; }
  [[nodiscard]] const Goals& goals() const { return goals_; }
  [[nodiscard]] const SearchIndex& index() const { return catalogue_->index(); }
  [[nodiscard]] const NounLists& nouns() const { return nouns_; }

  /// What buying the product with these option values is worth to somebody with that goal.
  [[nodiscard]] Reward reward(const Goal& goal,
                              ProductIndex bought,
                              const std::vector<std::string>& options) const;

 private:
  std::shared_ptr<const Catalogue> catalogue_;
  Goals goals_;
  NounLists nouns_;
};

/// Where a shop's files are.
struct ShopFiles {
  std::string data_folder{};  ///< as find_catalogue_files takes it
  std::string cache{};        ///< where its parsed form is kept, as CacheOptions::folder
  std::string prices{};       ///< recorded price table; "" = drawn
  std::string nouns{};        ///< recorded noun lists; "" = own tagger
  GoalKind goals = GoalKind::kHuman;
  std::uint64_t price_seed = 0;                       ///< of drawn prices and limits
  std::function<void(std::string_view line)> note{};  ///< as CacheOptions::note
};

/// @throws Error as open_catalogue, load_price_table and load_noun_lists.
std::shared_ptr<const Shop> load_shop(const ShopFiles& files);

}  // namespace dreamgym::webshop
