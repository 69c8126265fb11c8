// Houses in the household engine's own rules and words, with invented nouns.
//
// Exactly the grammar that real household logs have (dialects 0.4 and 0.3, the latter mostly
// without the arrival sentence, as logs have it), but no name tells what a thing is. A hint names
// the place that cleans, heats or cools, since its name cannot. Thread safety: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/worlds/alfworld/engine.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"
#include "dreamgym/worlds/alfworld/game.h"
#include "dreamgym/worlds/alfworld/internal/trace_writer.h"
#include "dreamgym/worlds/invented/houses_layout.h"
#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class HousesWorld : public Simulator {
 public:
  HousesWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  using Index = alfworld::Index;

  [[nodiscard]] std::string hint() const;
  [[nodiscard]] std::string kind_of_place(Index place) const;
  [[nodiscard]] std::string held_kind() const;
  [[nodiscard]] std::vector<std::string> held_conditions() const;
  [[nodiscard]] std::string_view effect_of(const alfworld::Command& command);
  [[nodiscard]] bool is_lit_here() const;
  [[nodiscard]] alfworld::Attempt attempt_of(const alfworld::Command& command) const;
  [[nodiscard]] ReasoningTrace trace(std::string_view effect,
                                     const alfworld::Attempt& attempt,
                                     const Reply& reply) const;
  [[nodiscard]] bool is_inside(Index object, Index place) const;
  [[nodiscard]] std::size_t count_in(Index place, const std::string& kind) const;

  // Advice (houses_advice.cc).
  [[nodiscard]] std::optional<std::pair<Index, Index>> known(const std::string& kind) const;
  [[nodiscard]] Index target_place() const;
  [[nodiscard]] Index device() const;
  [[nodiscard]] Move reach(const std::vector<Move>& moves, Index place) const;
  [[nodiscard]] Move explore(const std::vector<Move>& moves, Rng& rng) const;
  [[nodiscard]] Move fetch(const std::vector<Move>& moves, Rng& rng) const;
  [[nodiscard]] Move put_away(const std::vector<Move>& moves, Rng& rng) const;
  [[nodiscard]] Move deliver(const std::vector<Move>& moves) const;
  [[nodiscard]] Move light(const std::vector<Move>& moves, Rng& rng) const;

  std::shared_ptr<const alfworld::AlfredGame> game_;
  alfworld::GameState state_;
  alfworld::Goal goal_;     ///< in displayed words
  alfworld::Goal pursued_;  ///< what advise() works towards; differs from goal_ while misled
  bool strips_arrival_ = false;
  bool hints_in_task_ = false;  ///< else in the opening text
  Index here_ = alfworld::kNone;
  std::vector<bool> seen_;          ///< [receptacles] its contents have been shown
  alfworld::EpisodeMemory memory_;  ///< what the texts have shown
};

}  // namespace dreamgym::invented
