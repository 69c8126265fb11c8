// Chambers on a grid joined by passages: find a thing, keep the way in mind, carry it home.
//
// Several things may be carried. Some passages are barred and open only to whoever holds the right
// thing. Thread safety: none.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class PassagesWorld : public Simulator {
 public:
  PassagesWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kWalk, kTake, kDrop, kHands, kLook };
  static constexpr int kNumDirections = 4;  ///< north, east, south, west; opposite = + 2

  struct Chamber {
    std::string name;
    int x = 0;
    int y = 0;
    std::array<int, kNumDirections> exits = {-1, -1, -1, -1};
    std::vector<int> items;
    bool seen = false;
  };
  struct Wording {
    std::string_view walk, take, drop, hands, look;
    std::string_view chamber, things, exits, taken, dropped, carrying, empty_handed, barred,
        refusal;
    std::string_view task;
    ListForm list;
  };

  void draw_wording(Rng& rng);
  void make_chambers(NameDeal& names, Rng& rng);
  void make_goal(Rng& rng);
  [[nodiscard]] int chamber_at(int x, int y) const;
  [[nodiscard]] std::string describe(const Chamber& chamber) const;
  [[nodiscard]] std::string held() const;
  [[nodiscard]] std::vector<std::string> item_names(const std::vector<int>& items) const;
  [[nodiscard]] bool is_barred(int from, int to) const;
  [[nodiscard]] bool holds(int item) const;
  Reply walk(const Move& move);
  Reply drop(const Move& move);
  [[nodiscard]] int chamber_of(int item) const;
  /// First direction of a shortest known way to a chamber the predicate accepts.
  template <class Accepts>
  [[nodiscard]] std::optional<int> way(Accepts accepts) const;
  [[nodiscard]] const Move* explore(const std::vector<Move>& moves) const;

  Wording wording_;
  std::vector<Chamber> chambers_;
  std::vector<std::string> items_;
  std::vector<int> carried_;
  int here_ = 0;
  int wanted_item_ = 0;
  int wanted_chamber_ = 0;
  int pursued_item_ = 0;
  int pursued_chamber_ = 0;
  int bar_from_ = -1;  ///< the barred passage joins these two chambers ...
  int bar_to_ = -1;
  int bar_item_ = -1;  ///< ... and opens to whoever holds this
  bool bar_known_ = false;
};

}  // namespace dreamgym::invented
