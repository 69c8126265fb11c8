// A book of facts read page by page, and a question to answer: recall over long distances.
//
// Later pages may change what earlier ones said. An answer ends the episode, right or wrong. In
// traces "at" is the page. Thread safety: none.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class BookWorld : public Simulator {
 public:
  BookWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kNext, kPrevious, kTurn, kAnswer };
  struct Wording {
    std::string_view next, previous, turn, answer, opening, fact, change, filler, page, right,
        wrong, refusal, question;
  };

  void draw_wording(Rng& rng);
  void write_pages(NameDeal& names, Rng& rng);
  [[nodiscard]] std::string at() const;
  [[nodiscard]] std::string truth() const;

  Wording wording_;
  std::vector<std::string> things_;
  std::vector<std::string> places_;
  std::vector<int> place_of_;  ///< [thing] where it ends up
  std::vector<std::string> pages_;
  std::set<int> seen_;
  bool changes_ = false;  ///< the book takes some of its facts back
  int asked_ = 0;         ///< thing
  int found_on_ = 0;      ///< page with the last word on it
  int page_ = -1;
  bool answers_wrongly_ = false;
};

}  // namespace dreamgym::invented
