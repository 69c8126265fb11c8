// The shop as an Environment: one shopper, one episode at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/env/environment.h"
#include "dreamgym/worlds/webshop/abstract_state.h"
#include "dreamgym/worlds/webshop/episode_reader.h"
#include "dreamgym/worlds/webshop/session.h"
#include "dreamgym/worlds/webshop/shop_library.h"

namespace dreamgym::webshop {

/// Reads task.settings as shop_library.h names them. Observations are the original's in the chosen
/// mode. Admissible: a click on each element, and on the search page the queries that
/// suggest_queries() makes of the instruction; other searches are possible everywhere. Reward on
/// buying, in [0, 1], which ends the episode. info: "url", "has_search_bar", "clickables" (JSON
/// list), "won" (reward 1); at the end also "score", "asin", "options", the reward's parts and, where
/// attributes or options of the goal are not met, "missed".
/// With the mode "abstract" observations and actions are those of abstract_state.h; admissible is
/// what EpisodeReader::candidates() offers there.
/// Thread safety: none; objects share shops through the library.
class WebshopEnvironment final : public Environment {
 public:
  explicit WebshopEnvironment(std::shared_ptr<ShopLibrary> library);
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

  /// Of the page shown, as in StepResult; after reset().
  [[nodiscard]] std::map<std::string, std::string> info() const;
  /// The running episode; after reset().
  [[nodiscard]] const Session& session() const;

 private:
  StepResult step_abstract(const Action& action);
  void conclude(StepResult& result) const;
  /// The page, with as much of what came before as the task wants in front.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> admissible() const;

  std::shared_ptr<ShopLibrary> library_;
  std::optional<Session> session_;
  ObservationMode mode_ = ObservationMode::kText;
  std::optional<AbstractState> abstract_;  ///< in the mode "abstract"
  EpisodeReader reader_;                   ///< of the abstract states shown
  std::size_t num_prev_obs_ = 0;
  std::size_t num_prev_actions_ = 0;
  std::vector<std::string> pages_;    ///< kept only if earlier ones are shown
  std::vector<std::string> actions_;  ///< as above
};

}  // namespace dreamgym::webshop
