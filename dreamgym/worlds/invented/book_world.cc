#include "dreamgym/worlds/invented/book_world.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "dreamgym/base/error.h"

namespace dreamgym::invented {
namespace {

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

}  // namespace

BookWorld::BookWorld(NameDeal& names, Rng rng) {
  draw_wording(rng);
  write_pages(names, rng);
}

void BookWorld::draw_wording(Rng& rng) {
  Wording& w = wording_;
  w.next = one_of({"next page", "read on", "next"}, rng);
  w.previous = one_of({"previous page", "back", "page back"}, rng);
  w.turn = one_of({"turn to page {n}", "read page {n}", "page {n}"}, rng);
  w.answer = one_of({"answer {p}", "say {p}", "it is {p}"}, rng);
  w.opening = one_of({"A book with {n} pages.", "You see {n} pages.", "Pages: {n}."}, rng);
  w.fact =
      one_of({"The {x} is in the {p}.", "{x} lives at {p}.", "{p} has the {x}.", "{x}: {p}."}, rng);
  w.change =
      one_of({"The {x} goes to the {p}.", "Now {x} is at {p}.", "The {p} gets the {x}."}, rng);
  w.filler =
      one_of({"The {x} meets a {p}.", "A {x} looks at the {p}.", "No {x} likes a {p}."}, rng);
  w.page = one_of({"Page {n}. {l}", "{l}", "{n}: {l}"}, rng);
  w.right = one_of({"That is right.", "Yes, {p}.", "Correct: {p}."}, rng);
  w.wrong = one_of({"That is wrong.", "No, not {p}.", "Wrong: {p}."}, rng);
  w.refusal = one_of({"Nothing happens.", "There is no such page.", "What?"}, rng);
  w.question = one_of({"where is the {x}?", "find out where the {x} is.", "{x} is where?"}, rng);
}

void BookWorld::write_pages(NameDeal& names, Rng& rng) {
  const int num_pages = between(2, 8, rng);
  const int facts_per_page = between(2, 5, rng);
  changes_ = chance(0.4, rng);
  things_ = names.next(static_cast<std::size_t>(num_pages * facts_per_page));
  places_ = names.next(static_cast<std::size_t>(between(3, 7, rng)));
  place_of_.resize(things_.size());
  std::vector<int> page_of(things_.size());
  const std::vector<std::string> extras = names.next(6);
  int told = 0;
  for (int page = 0; page < num_pages; ++page) {
    std::string text;
    const auto add = [&](std::string_view pattern, std::string_view thing, std::string_view place) {
      text += text.empty() ? "" : " ";
      text += fill(pattern, {{'x', thing}, {'p', place}});
    };
    for (int fact = 0; fact < facts_per_page; ++fact, ++told) {
      place_of_[told] = static_cast<int>(rng.below(places_.size()));
      page_of[told] = page;
      add(wording_.fact, things_[told], places_[place_of_[told]]);
      if (chance(0.3, rng)) {
        add(wording_.filler, rng.choose(extras), rng.choose(extras));
      }
    }
    if (changes_ && page > 0) {
      const int thing = static_cast<int>(rng.below(told - facts_per_page));
      place_of_[thing] = static_cast<int>(rng.below(places_.size()));
      page_of[thing] = page;
      add(wording_.change, things_[thing], places_[place_of_[thing]]);
    }
    pages_.push_back(fill(wording_.page, {{'n', std::to_string(page + 1)}, {'l', text}}));
  }
  asked_ = static_cast<int>(rng.below(things_.size()));
  found_on_ = page_of[asked_];
}

Opening BookWorld::open() const {
  std::string instruction = fill(wording_.question, {{'x', things_[asked_]}});
  if (changes_) {
    instruction += " things may move.";
  }
  return {.kind = "book/question",
          .instruction = std::move(instruction),
          .text = fill(wording_.opening, {{'n', std::to_string(pages_.size())}})};
}

std::vector<Move> BookWorld::moves() const {
  std::vector<Move> moves;
  const int last = static_cast<int>(pages_.size()) - 1;
  if (page_ < last) {
    moves.push_back({kNext, -1, page_ + 1, std::string(wording_.next)});
  }
  if (page_ > 0) {
    moves.push_back({kPrevious, -1, page_ - 1, std::string(wording_.previous)});
  }
  for (int page = 0; page <= last; ++page) {
    moves.push_back({kTurn, -1, page, fill(wording_.turn, {{'n', std::to_string(page + 1)}})});
  }
  if (!seen_.empty()) {
    for (int place = 0; place < static_cast<int>(places_.size()); ++place) {
      moves.push_back({kAnswer, place, -1, fill(wording_.answer, {{'p', places_[place]}})});
    }
  }
  return moves;
}

Reply BookWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, at(), "nothing")};
  }
  if (move->verb != kAnswer) {
    page_ = move->object;
    const bool is_new = seen_.insert(page_).second;
    return {.text = pages_[page_],
            .trace = make_trace(is_new ? effects::kNew : effects::kAgain, at(), "nothing")};
  }
  const std::string& answer = places_[move->subject];
  Reply reply;
  reply.trace = make_trace(effects::kDone, at(), "nothing");
  add_attempt(reply.trace, things_[asked_] + " " + truth(), things_[asked_] + " " + answer);
  reply.reached = answer == truth();
  reply.over = true;
  reply.text = fill(reply.reached ? wording_.right : wording_.wrong, {{'p', answer}});
  return reply;
}

std::string BookWorld::truth() const {
  return places_[place_of_[asked_]];
}

std::string BookWorld::at() const {
  return page_ < 0 ? "start" : "page " + std::to_string(page_ + 1);
}

/// Reads on until the thing was mentioned (to the end where facts change), then answers.
Move BookWorld::advise(Rng& rng) {
  const std::vector<Move> all = moves();
  int first_unread = 0;
  while (seen_.contains(first_unread)) {
    ++first_unread;
  }
  const bool has_unread = first_unread < static_cast<int>(pages_.size());
  const bool is_known = seen_.contains(found_on_) && (!changes_ || !has_unread);
  if (!is_known && has_unread) {
    const Move* next = find_move(all, kNext, -1, first_unread);
    return next != nullptr ? *next : *find_move(all, kTurn, -1, first_unread);
  }
  const int answer =
      answers_wrongly_ ? static_cast<int>(rng.below(places_.size())) : place_of_[asked_];
  return *find_move(all, kAnswer, answer);
}

void BookWorld::mislead(Rng& /*rng*/) {
  answers_wrongly_ = true;
}

}  // namespace dreamgym::invented
