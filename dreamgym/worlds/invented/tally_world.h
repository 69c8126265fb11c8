// A list that is added to, taken from and counted: sets minus one, and numbers up to nine.
//
// The task wants a certain number of one thing. In traces "hold" is the number of things on the
// list. Thread safety: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class TallyWorld : public Simulator {
 public:
  TallyWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kAdd, kRemove, kCount, kRead, kFirst, kLast };
  struct Wording {
    std::string_view add, remove, count, read, first, last;
    std::string_view opening, added, removed, counted, list_text, refusal, task;
    ListForm list;
  };

  void draw_wording(Rng& rng);
  [[nodiscard]] int count_of(int kind) const;
  [[nodiscard]] std::string size_text() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::string contents() const;
  Reply change(const Move& move);

  Wording wording_;
  std::vector<std::string> kinds_;
  std::vector<int> list_;   ///< kinds, in order
  bool shows_list_ = true;  ///< replies to changes repeat the list
  int wanted_kind_ = 0;
  int wanted_count_ = 0;
  int detours_ = 0;  ///< changes to other things before the right ones
  bool counted_ = false;
};

}  // namespace dreamgym::invented
