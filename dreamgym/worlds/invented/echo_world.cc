#include "dreamgym/worlds/invented/echo_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "dreamgym/base/text.h"

namespace dreamgym::invented {
namespace {

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

}  // namespace

EchoWorld::EchoWorld(NameDeal& names, Rng rng) {
  draw_wording(rng);
  const int num_messages = between(2, 6, rng);
  for (int i = 0; i < num_messages; ++i) {
    std::vector<std::string>& message = messages_.emplace_back();
    const int length = between(1, 5, rng);
    for (int word = 0; word < length; ++word) {
      const bool is_numbered = chance(0.3, rng);
      std::string& text = message.emplace_back(names.next());
      if (is_numbered) {
        text += fmt::format(" {}", between(1, 9, rng));
      }
    }
  }
  target_ = static_cast<int>(rng.below(messages_.size()));
  asked_ = rng.choose(messages_[target_]);
  warm_ups_ = between(1, 6, rng);
}

void EchoWorld::draw_wording(Rng& rng) {
  Wording& w = wording_;
  w.say = one_of({"say {n}", "repeat {n}", "read {n}"}, rng);
  w.reverse = one_of({"reverse {n}", "turn {n} around", "say {n} backwards"}, rng);
  w.rest = one_of({"rest of {n}", "say {n} without the first"}, rng);
  w.after = one_of({"what follows {x}", "after {x}"}, rng);
  w.send = one_of({"send {n}", "pass on {n}"}, rng);
  w.opening = one_of({"Messages: {l}", "You see these messages: {l}", "{l}"}, rng);
  w.entry = one_of({"{n}: {m}.", "number {n} is {m}.", "{n} = {m}."}, rng);
  w.said = one_of({"{m}.", "You say: {m}.", "It is {m}."}, rng);
  w.sent = one_of({"Sent: {m}.", "{m} is on its way.", "Message {n} is sent."}, rng);
  w.refusal = one_of({"Nothing happens.", "No such message.", "What?"}, rng);
  w.task = one_of({"send the message with {x}.", "pass {x} on.", "the one with {x} must go."}, rng);
}

std::string EchoWorld::message(int index) const {
  return join(messages_[index], " ");
}

std::string EchoWorld::turned(int index) const {
  std::vector<std::string> turned = messages_[index];
  std::ranges::reverse(turned);
  return join(turned, " ");
}

std::string EchoWorld::held() const {
  return sent_ < 0 ? "nothing" : message(sent_);
}

Opening EchoWorld::open() const {
  std::string board;
  for (int i = 0; i < static_cast<int>(messages_.size()); ++i) {
    board += i > 0 ? " " : "";
    board += fill(wording_.entry, {{'n', std::to_string(i + 1)}, {'m', message(i)}});
  }
  return {.kind = "echo/message",
          .instruction = fill(wording_.task, {{'x', asked_}}),
          .text = fill(wording_.opening, {{'l', board}})};
}

std::vector<Move> EchoWorld::moves() const {
  std::vector<Move> moves;
  for (int i = 0; i < static_cast<int>(messages_.size()); ++i) {
    const std::string number = std::to_string(i + 1);
    moves.push_back({kSay, i, -1, fill(wording_.say, {{'n', number}})});
    moves.push_back({kSend, i, -1, fill(wording_.send, {{'n', number}})});
    if (messages_[i].size() > 1) {
      moves.push_back({kReverse, i, -1, fill(wording_.reverse, {{'n', number}})});
      moves.push_back({kRest, i, -1, fill(wording_.rest, {{'n', number}})});
    }
    for (int word = 0; word + 1 < static_cast<int>(messages_[i].size()); ++word) {
      moves.push_back({kAfter, i, word, fill(wording_.after, {{'x', messages_[i][word]}})});
    }
  }
  return moves;
}

Reply EchoWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, "start", held())};
  }
  std::string said;
  switch (move->verb) {
    case kSend:
      return send(*move);
    case kSay:
      said = message(move->subject);
      break;
    case kReverse:
      said = turned(move->subject);
      break;
    case kRest: {
      const std::vector<std::string>& words = messages_[move->subject];
      said = join({words.begin() + 1, words.end()}, " ");
      break;
    }
    default:
      said = messages_[move->subject][move->object + 1];
  }
  return {.text = fill(wording_.said, {{'m', said}}),
          .trace = make_trace(effects::kAgain, "start", held())};
}

Reply EchoWorld::send(const Move& move) {
  sent_ = move.subject;
  Reply reply{
      .text = fill(wording_.sent, {{'m', message(sent_)}, {'n', std::to_string(sent_ + 1)}}),
      .trace = make_trace(effects::kMoved, "start", held())};
  add_attempt(reply.trace, message(target_), message(sent_));
  reply.reached = sent_ == target_;
  return reply;
}

Move EchoWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  if (wrong_sends_ > 0 && warm_ups_ == 0) {
    --wrong_sends_;
    return *find_move(all, kSend, static_cast<int>(rng.below(messages_.size())));
  }
  if (warm_ups_ > 0) {
    --warm_ups_;
    const Move& move = rng.choose(all);
    return move.verb == kSend ? *find_move(all, kSay, move.subject) : move;
  }
  return *find_move(all, kSend, target_);
}

void EchoWorld::mislead(Rng& rng) {
  wrong_sends_ = between(1, 3, rng);
}

}  // namespace dreamgym::invented
