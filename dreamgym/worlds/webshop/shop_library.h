// Shops shared by all episodes: from files or generated, made once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dreamgym/base/mutex.h"
#include "dreamgym/data/types.h"
#include "dreamgym/worlds/webshop/shop.h"

namespace dreamgym::webshop {

/// Keys of Task::settings that this world reads.
namespace settings {
inline constexpr const char* kData = "data";            ///< folder of the catalogue's files
inline constexpr const char* kCache = "cache";          ///< folder of the parsed catalogue
inline constexpr const char* kGenerated = "generated";  ///< id of a generated shop
inline constexpr const char* kGoals = "goals";          ///< "human" (default) or "synthetic"
inline constexpr const char* kSession = "session";      ///< number of the goal
inline constexpr const char* kGoal = "goal";            ///< a goal as JSON in the session's place
inline constexpr const char* kMode = "mode";      ///< "text" (default), "text_rich", "html", "url", "abstract"
inline constexpr const char* kPrices = "prices";  ///< recorded price table
inline constexpr const char* kPriceSeed = "price_seed";             ///< of drawn prices; "" = 0
inline constexpr const char* kNouns = "nouns";                      ///< recorded noun lists
inline constexpr const char* kNumPrevObs = "num_prev_obs";          ///< earlier observations shown
inline constexpr const char* kNumPrevActions = "num_prev_actions";  ///< earlier actions shown
}  // namespace settings

inline constexpr const char* kAbstractMode = "abstract";  ///< abstract_state.h

/// The setting's text, "" if there is none.
std::string setting(const Task& task, const char* key);
/// The setting as a number, 0 if there is none. @throws Error kInvalidArgument naming task and key.
std::uint64_t number_setting(const Task& task, const char* key);

/// Thread safety: all members may be called from any thread; who wants a shop that another thread
/// is making waits for it.
class ShopLibrary {
 public:
  /// The shop that the task's settings name.
  /// @throws Error kNotFound if they name none; as load_shop and generate_shop otherwise.
  std::shared_ptr<const Shop> find(const Task& task);

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Shop>> shops_ DREAMGYM_GUARDED_BY(mutex_);
};

}  // namespace dreamgym::webshop
