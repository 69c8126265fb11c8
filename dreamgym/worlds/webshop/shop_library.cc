#include "dreamgym/worlds/webshop/shop_library.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/shop_generator.h"

namespace dreamgym::webshop {
namespace {

std::shared_ptr<const Shop> make_shop(const Task& task) {
  const std::string kind = setting(task, settings::kGoals);
  const GoalKind goals = kind.empty() ? GoalKind::kHuman : goal_kind_from_name(kind);
  const std::string folder = setting(task, settings::kData);
  if (folder.empty()) {
    return generate_shop(parse_shop_id(setting(task, settings::kGenerated)), goals);
  }
  return load_shop({.data_folder = folder,
                    .cache = setting(task, settings::kCache),
                    .prices = setting(task, settings::kPrices),
                    .nouns = setting(task, settings::kNouns),
                    .goals = goals,
                    .price_seed = number_setting(task, settings::kPriceSeed)});
}

}  // namespace

std::string setting(const Task& task, const char* key) {
  const auto found = task.settings.find(key);
  return found == task.settings.end() ? "" : found->second;
}

std::uint64_t number_setting(const Task& task, const char* key) {
  const std::string text = setting(task, key);
  if (text.empty()) {
    return 0;
  }
  const auto number = parse_unsigned(text);
  if (!number) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task \"{}\": settings.{}: expected a whole number, got \"{}\"",
                            task.id,
                            key,
                            shorten(text, 60)));
  }
  return *number;
}

std::shared_ptr<const Shop> ShopLibrary::find(const Task& task) {
  if (setting(task, settings::kData).empty() && setting(task, settings::kGenerated).empty()) {
    throw Error(ErrorKind::kNotFound,
                fmt::format("task \"{}\" of world \"{}\": its settings name no shop, expected "
                            "\"data\" (a folder) or \"generated\"",
                            task.id,
                            task.world),
                "take tasks from the world's own list, or set settings.data");
  }
  std::string key;
  for (const char* part : {settings::kData,
                           settings::kGenerated,
                           settings::kGoals,
                           settings::kPrices,
                           settings::kPriceSeed,
                           settings::kNouns}) {
    key += setting(task, part) + "\n";
  }
  const MutexLock lock(mutex_);  // a shop takes seconds to make: better wait than make it twice
  auto& shop = shops_[key];
  if (!shop) {
    shop = make_shop(task);
  }
  return shop;
}

}  // namespace dreamgym::webshop
