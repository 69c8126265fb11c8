// A ticket tool: list, read and change tickets until they are as the task wants them.
//
// In some tools the task is done when the state is right, in others the actor must say so, and a
// wrong claim ends the episode. In traces "at" is the page and "hold" the fields of the ticket
// shown. Thread safety: none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class TicketsWorld : public Simulator {
 public:
  TicketsWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kList, kShow, kSet, kFinish };
  static constexpr int kSettings = 16;  ///< Move::object of kSet is field * kSettings + value

  struct Field {
    std::string name;
    std::vector<std::string> values;
  };
  struct Ticket {
    std::string number;
    std::string subject;
    std::vector<int> values;  ///< one for each field
    bool seen = false;        ///< was shown
  };
  struct Wording {
    std::string_view list, show, set, finish;
    std::string_view opening, entry, page, field, changed, finished, refusal, one_task, all_task;
  };

  void draw_wording(Rng& rng);
  void make_fields(NameDeal& names, Rng& rng);
  void make_tickets(NameDeal& names, Rng& rng);
  void make_goal(Rng& rng);
  [[nodiscard]] std::string list_page() const;
  [[nodiscard]] std::string ticket_page(const Ticket& ticket) const;
  [[nodiscard]] std::string at() const;
  [[nodiscard]] std::string shown_fields() const;
  [[nodiscard]] bool matches(const Ticket& ticket) const;
  [[nodiscard]] int count_unfinished() const;
  [[nodiscard]] std::string wanted() const;
  [[nodiscard]] std::string reached_with(const Ticket& ticket) const;
  void note_attempt(Reply& reply) const;
  Reply set_field(const Move& move);
  [[nodiscard]] const Move* next_change(const std::vector<Move>& moves) const;

  Wording wording_;
  std::vector<Field> fields_;
  std::vector<Ticket> tickets_;
  bool must_finish_ = false;
  bool wants_all_ = false;  ///< all tickets with key_value_, else the one about a subject
  int target_ = 0;          ///< ticket
  int key_field_ = 0;       ///< shown in the list
  int key_value_ = 0;
  std::vector<std::pair<int, int>> wants_;    ///< (field, value)
  std::vector<std::pair<int, int>> pursues_;  ///< what advise() sets; differs while misled
  int pursued_ = -1;                          ///< ticket advise() works on; -1: the right ones
  int shown_ = -1;
  int changed_ = -1;  ///< the ticket changed last
  bool listed_ = false;
};

}  // namespace dreamgym::invented
