// A board of short messages to read out, turn round and join: copying at its plainest.
//
// The task wants the message that holds a certain name sent. In traces "hold" is the message sent
// last. Thread safety: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/phrasing.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {

class EchoWorld : public Simulator {
 public:
  EchoWorld(NameDeal& names, Rng rng);

  [[nodiscard]] Opening open() const override;
  [[nodiscard]] std::vector<Move> moves() const override;
  Reply apply(const Move* move) override;
  Move advise(Rng& rng) override;
  void mislead(Rng& rng) override;

 private:
  enum Verb { kSay, kReverse, kRest, kAfter, kSend };
  struct Wording {
    std::string_view say, reverse, rest, after, send;
    std::string_view opening, entry, said, sent, refusal, task;
  };

  void draw_wording(Rng& rng);
  [[nodiscard]] std::string message(int index) const;
  [[nodiscard]] std::string turned(int index) const;
  [[nodiscard]] std::string held() const;
  Reply send(const Move& move);

  Wording wording_;
  std::vector<std::vector<std::string>> messages_;
  int target_ = 0;     ///< message
  std::string asked_;  ///< a name in it
  int sent_ = -1;
  int warm_ups_ = 0;  ///< readings before the task's own
  int wrong_sends_ = 0;
};

}  // namespace dreamgym::invented
