#include "dreamgym/worlds/invented/tickets_world.h"

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

TicketsWorld::TicketsWorld(NameDeal& names, Rng rng) {
  must_finish_ = chance(0.4, rng);
  wants_all_ = chance(0.3, rng);
  draw_wording(rng);
  make_fields(names, rng);
  make_tickets(names, rng);
  make_goal(rng);
  pursues_ = wants_;
}

void TicketsWorld::draw_wording(Rng& rng) {
  Wording& w = wording_;
  w.list = one_of({"list tickets", "list", "show all", "go to list"}, rng);
  w.show = one_of({"show ticket {n}", "open {n}", "read ticket {n}", "go to ticket {n}"}, rng);
  w.set = one_of({"set {f} of ticket {n} to {v}",
                  "change {f} of {n} to {v}",
                  "update {n} {f} {v}",
                  "set {f} {v}"},
                 rng);
  w.finish = one_of({"done", "submit", "finish"}, rng);
  w.opening = one_of({"You see the ticket tool.", "Tickets: list them first.", "Desk."}, rng);
  w.entry = one_of({"{n}: {s} ({v})", "ticket {n} {s} {v}", "{s} number {n} {v}"}, rng);
  w.page = one_of({"Ticket {n}: {s}.", "{s} ({n}).", "Number {n} about {s}."}, rng);
  w.field = one_of({" {f}: {v}.", " {f} {v}.", " The {f} is {v}."}, rng);
  w.changed = one_of({"The {f} of ticket {n} is {v} now.", "Saved: {f} {v}.", "Ok, {v}."}, rng);
  w.finished = one_of({"Thank you.", "Your work is done.", "Submitted."}, rng);
  w.refusal = one_of({"Nothing happens.", "Unknown command.", "Error."}, rng);
  w.one_task =
      one_of({"for the ticket about {s}: {w}.", "ticket {s} needs {w}.", "give {s} {w}."}, rng);
  w.all_task =
      one_of({"for all tickets with {f} {k}: {w}.", "every ticket of {k} needs {w}."}, rng);
}

void TicketsWorld::make_fields(NameDeal& names, Rng& rng) {
  fields_ = {{"status", {"open", "closed", "waiting"}},
             {"priority", {"low", "medium", "high"}},
             {"owner", names.next(3)},
             {"queue", names.next(3)}};
  rng.shuffle(fields_);
  fields_.resize(static_cast<std::size_t>(between(2, 4, rng)));
}

void TicketsWorld::make_tickets(NameDeal& names, Rng& rng) {
  const int num_tickets = between(3, 7, rng);
  const int first = between(1, 90, rng);
  for (int i = 0; i < num_tickets; ++i) {
    Ticket& ticket = tickets_.emplace_back();
    ticket.number = std::to_string(first + i);
    ticket.subject = names.next();
    for (const Field& field : fields_) {
      ticket.values.push_back(static_cast<int>(rng.below(field.values.size())));
    }
  }
  rng.shuffle(tickets_);
}

/// A goal that does not hold yet.
void TicketsWorld::make_goal(Rng& rng) {
  key_field_ = static_cast<int>(rng.below(fields_.size()));
  target_ = static_cast<int>(rng.below(tickets_.size()));
  key_value_ = tickets_[target_].values[key_field_];
  std::vector<int> order;
  for (int field = 0; field < static_cast<int>(fields_.size()); ++field) {
    if (!wants_all_ || field != key_field_) {
      order.push_back(field);
    }
  }
  rng.shuffle(order);
  const std::size_t num_wanted = wants_all_ || order.size() == 1 ? 1 : 1 + rng.below(2);
  for (std::size_t i = 0; i < num_wanted; ++i) {
    const int old_value = tickets_[target_].values[order[i]];
    const int num_values = static_cast<int>(fields_[order[i]].values.size());
    const int value = (old_value + between(1, num_values - 1, rng)) % num_values;
    wants_.emplace_back(order[i], value);
  }
  if (!wants_all_) {
    return;
  }
  // So that the number of tickets left follows from what the list shows.
  const auto [field, value] = wants_.front();
  for (Ticket& ticket : tickets_) {
    if (ticket.values[key_field_] == key_value_ && ticket.values[field] == value) {
      ticket.values[field] = tickets_[target_].values[field];
    }
  }
}

Opening TicketsWorld::open() const {
  std::string wanted;
  for (const auto& [field, value] : wants_) {
    wanted +=
        (wanted.empty() ? "" : " and ") + fields_[field].name + " " + fields_[field].values[value];
  }
  const std::string_view pattern = wants_all_ ? wording_.all_task : wording_.one_task;
  std::string instruction = fill(pattern,
                                 {{'s', tickets_[target_].subject},
                                  {'f', fields_[key_field_].name},
                                  {'k', fields_[key_field_].values[key_value_]},
                                  {'w', wanted}});
  if (must_finish_) {
    instruction += fill(" then say {x}.", {{'x', wording_.finish}});
  }
  return {.kind = wants_all_ ? "tickets/all" : "tickets/one",
          .instruction = std::move(instruction),
          .text = std::string(wording_.opening)};
}

std::vector<Move> TicketsWorld::moves() const {
  std::vector<Move> moves;
  moves.push_back({kList, -1, -1, std::string(wording_.list)});
  if (listed_) {
    for (int i = 0; i < static_cast<int>(tickets_.size()); ++i) {
      moves.push_back({kShow, i, -1, fill(wording_.show, {{'n', tickets_[i].number}})});
    }
  }
  if (shown_ >= 0) {
    for (int field = 0; field < static_cast<int>(fields_.size()); ++field) {
      for (int value = 0; value < static_cast<int>(fields_[field].values.size()); ++value) {
        moves.push_back({kSet,
                         shown_,
                         field * kSettings + value,
                         fill(wording_.set,
                              {{'n', tickets_[shown_].number},
                               {'f', fields_[field].name},
                               {'v', fields_[field].values[value]}})});
      }
    }
  }
  if (must_finish_) {
    moves.push_back({kFinish, -1, -1, std::string(wording_.finish)});
  }
  return moves;
}

Reply TicketsWorld::apply(const Move* move) {
  if (move == nullptr) {
    return {.text = std::string(wording_.refusal),
            .trace = make_trace(effects::kInvalid, at(), shown_fields())};
  }
  if (move->verb == kList) {
    const std::string_view effect = listed_ ? effects::kAgain : effects::kNew;
    listed_ = true;
    shown_ = -1;
    return {.text = list_page(), .trace = make_trace(effect, at(), shown_fields())};
  }
  if (move->verb == kShow) {
    shown_ = move->subject;
    Ticket& ticket = tickets_[shown_];
    const std::string_view effect = ticket.seen ? effects::kAgain : effects::kNew;
    ticket.seen = true;
    return {.text = ticket_page(ticket), .trace = make_trace(effect, at(), shown_fields())};
  }
  if (move->verb == kSet) {
    return set_field(*move);
  }
  Reply reply{.text = std::string(wording_.finished),
              .trace = make_trace(effects::kDone, at(), shown_fields())};
  note_attempt(reply);
  reply.reached = wanted_is_reached(reply.trace);
  reply.over = true;
  return reply;
}

Reply TicketsWorld::set_field(const Move& move) {
  const int field = move.object / kSettings;
  const int value = move.object % kSettings;
  Ticket& ticket = tickets_[move.subject];
  ticket.values[field] = value;
  changed_ = move.subject;
  Reply reply{
      .text = fill(
          wording_.changed,
          {{'n', ticket.number}, {'f', fields_[field].name}, {'v', fields_[field].values[value]}}),
      .trace = make_trace(effects::kMoved, at(), shown_fields())};
  if (!must_finish_) {
    note_attempt(reply);
    reply.reached = wanted_is_reached(reply.trace);
  }
  return reply;
}

void TicketsWorld::note_attempt(Reply& reply) const {
  const std::string want = wanted();
  std::string got = reached_with(tickets_[target_]);
  if (got != want && !wants_all_) {
    got = changed_ < 0 ? "nothing" : reached_with(tickets_[changed_]);
  }
  add_attempt(reply.trace, want, got);
}

std::string TicketsWorld::wanted() const {
  if (wants_all_) {
    return "0 " + fields_[key_field_].values[key_value_] + " left";
  }
  std::string text = tickets_[target_].subject;
  for (const auto& [field, value] : wants_) {
    text += " " + fields_[field].values[value];
  }
  return text;
}

std::string TicketsWorld::reached_with(const Ticket& ticket) const {
  if (wants_all_) {
    return std::to_string(count_unfinished()) + " " + fields_[key_field_].values[key_value_] +
           " left";
  }
  std::string text = ticket.subject;
  for (const auto& [field, value] : wants_) {
    text += " " + fields_[field].values[ticket.values[field]];
  }
  return text;
}

bool TicketsWorld::matches(const Ticket& ticket) const {
  return wants_all_ ? ticket.values[key_field_] == key_value_
                    : ticket.subject == tickets_[target_].subject;
}

/// Tickets the task is about that are not yet as wanted.
int TicketsWorld::count_unfinished() const {
  return static_cast<int>(std::ranges::count_if(tickets_, [&](const Ticket& ticket) {
    return matches(ticket) && std::ranges::any_of(wants_, [&](const auto& want) {
             return ticket.values[want.first] != want.second;
           });
  }));
}

std::string TicketsWorld::list_page() const {
  std::vector<std::string> entries;
  for (const Ticket& ticket : tickets_) {
    entries.push_back(fill(wording_.entry,
                           {{'n', ticket.number},
                            {'s', ticket.subject},
                            {'v', fields_[key_field_].values[ticket.values[key_field_]]}}));
  }
  return list_text(entries, {"", ", ", ", ", "nothing"}) + ".";
}

std::string TicketsWorld::ticket_page(const Ticket& ticket) const {
  std::string text = fill(wording_.page, {{'n', ticket.number}, {'s', ticket.subject}});
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    text += fill(wording_.field,
                 {{'f', fields_[field].name}, {'v', fields_[field].values[ticket.values[field]]}});
  }
  return text;
}

std::string TicketsWorld::at() const {
  if (shown_ >= 0) {
    return "ticket " + tickets_[shown_].number;
  }
  return listed_ ? "list" : "start";
}

std::string TicketsWorld::shown_fields() const {
  if (shown_ < 0) {
    return "nothing";
  }
  std::string text;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    text += (text.empty() ? "" : " ") + fields_[field].values[tickets_[shown_].values[field]];
  }
  return text;
}

Move TicketsWorld::advise(Rng& /*rng*/) {
  const std::vector<Move> all = moves();
  if (!listed_) {
    return *find_move(all, kList);
  }
  if (const Move* move = next_change(all)) {
    return *move;
  }
  if (must_finish_) {
    return *find_move(all, kFinish);
  }
  pursued_ = -1;  // a misled actor has made its mistake
  pursues_ = wants_;
  const Move* move = next_change(all);
  return move != nullptr ? *move : *find_move(all, kList);
}

/// Reads a ticket that is meant, or changes a field of it; null if all are as pursued.
const Move* TicketsWorld::next_change(const std::vector<Move>& moves) const {
  for (int i = 0; i < static_cast<int>(tickets_.size()); ++i) {
    const Ticket& ticket = tickets_[i];
    const bool is_meant = pursued_ >= 0 ? i == pursued_ : matches(ticket);
    for (const auto& [field, value] : pursues_) {
      if (is_meant && (ticket.values[field] != value || !ticket.seen)) {
        const Move* set = find_move(moves, kSet, i, field * kSettings + value);
        return set != nullptr ? set : find_move(moves, kShow, i);
      }
    }
  }
  return nullptr;
}

void TicketsWorld::mislead(Rng& rng) {
  const bool changes_other_ticket = !wants_all_ && chance(0.5, rng);
  if (changes_other_ticket) {
    pursued_ = static_cast<int>(rng.below(tickets_.size()));
    return;
  }
  auto& [field, value] = pursues_.back();
  const int num_values = static_cast<int>(fields_[field].values.size());
  value = (value + 1) % num_values;
}

}  // namespace dreamgym::invented
