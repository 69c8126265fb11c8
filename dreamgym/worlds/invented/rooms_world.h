// Rooms full of containers: carry things between places, treat them, show them somewhere.
//
// Every trajectory has its own names, its own wording (rooms_wording.h) and one of four tasks.
// Contents of a place are listed in the order in which they came: what is put down comes last.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/rooms_wording.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class RoomsWorld : public Simulator {
 public:
  RoomsWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum class Naming { kNumbered, kColoured, kPlain };
  enum class TaskType { kPlace, kTreat, kTwo, kBring };
  enum Verb { kGo, kOpen, kClose, kTake, kPut, kTreat, kInspect, kHands, kLook };

  struct Place {
    std::string name;
    std::string kind;  ///< what tasks call it
    bool openable = false;
    bool is_open = true;
    bool seen = false;       ///< its contents have been shown
    int treatment = -1;      ///< index of what it does to items
    std::vector<int> items;  ///< in order of arrival
  };
  struct Item {
    std::string name;
    std::string kind;
    unsigned treated = 0;  ///< bit t: treatment t was applied
  };
  struct Goal {
    TaskType type = TaskType::kPlace;
    std::string item;   ///< kind
    std::string place;  ///< kind
    int treatment = -1;
    bool operator==(const Goal&) const = default;
  };

  void make_places(NameDeal& names);
  void make_items(NameDeal& names);
  void make_goal();
  void add_goal_item();
  void name_items(NameDeal& names, std::size_t num_kinds);
  [[nodiscard]] std::string instruction() const;
  [[nodiscard]] std::string contents(const Place& place) const;
  [[nodiscard]] std::vector<std::string> item_names(const Place& place) const;
  [[nodiscard]] std::string at() const;
  [[nodiscard]] std::string held() const;
  [[nodiscard]] std::string phrase(std::string_view pattern, int item, int place) const;
  void add_moves_here(std::vector<Move>& moves) const;
  Reply show(Place& place, std::string text);
  Reply move_item(const Move& move);
  void note_attempt(Reply& reply, const Move& move);
  [[nodiscard]] std::string wanted() const;
  [[nodiscard]] std::string reached_with(int item, const Place& place) const;

  // Advice (rooms_advice.cc).
  [[nodiscard]] bool suits(int item) const;
  [[nodiscard]] std::optional<std::pair<int, int>> known_item() const;  ///< (item, place)
  [[nodiscard]] int target_place() const;
  [[nodiscard]] int count_in(int place, const std::string& kind) const;
  Move reach(const std::vector<Move>& moves, int place) const;
  Move explore(const std::vector<Move>& moves, Rng& rng) const;
  Move put_away(const std::vector<Move>& moves, Rng& rng) const;
  Move deliver(const std::vector<Move>& moves) const;

  Rng rng_;  ///< of the construction only
  RoomsWording wording_;
  std::vector<Treatment> treatments_;
  Naming naming_ = Naming::kNumbered;
  std::vector<Place> places_;
  std::vector<Item> items_;
  Goal goal_;
  Goal pursued_;               ///< what advise() works towards; differs from goal_ while misled
  bool names_device_ = false;  ///< the task sentence says where to treat
  int here_ = -1;
  int holding_ = -1;
};

}  // namespace dreamgym::invented
