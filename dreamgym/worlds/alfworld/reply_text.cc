#include "dreamgym/worlds/alfworld/reply_text.h"

#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {
namespace {

std::string_view without_article(std::string_view name) {
  name = trim(name);
  consume_prefix(name, "the ");
  return name;
}

std::string_view without_stop(std::string_view text) {
  text = trim(text);
  if (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Cuts "A<between>B" in two; false if `between` is not there.
bool cut(std::string_view text,
         std::string_view between,
         std::string_view& first,
         std::string_view& second) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) {
    return false;
  }
  first = text.substr(0, at);
  second = text.substr(at + between.size());
  return true;
}

struct MoveForm {
  std::string_view before;
  std::string_view between;
  ReplyKind kind;
  std::string_view word;
};

constexpr MoveForm kMoveForms[] = {
    {"You pick up ", " from ", ReplyKind::kTook, ""},
    {"You take ", " from ", ReplyKind::kTook, ""},
    {"You move ", " to ", ReplyKind::kPut, ""},
    {"You put ", " in/on ", ReplyKind::kPut, ""},
    {"You clean ", " using ", ReplyKind::kTreated, "clean"},
    {"You heat ", " using ", ReplyKind::kTreated, "heat"},
    {"You cool ", " using ", ReplyKind::kTreated, "cool"},
};

bool read_move(std::string_view text, Reply& reply) {
  for (const MoveForm& form : kMoveForms) {
    std::string_view rest = text;
    std::string_view object;
    std::string_view place;
    if (consume_prefix(rest, form.before) && cut(rest, form.between, object, place)) {
      reply.kind = form.kind;
      reply.object = without_article(object);
      reply.place = without_article(without_stop(place));
      reply.word = form.word;
      return true;
    }
  }
  return false;
}

/// "On the desk 1, you see ...", "The fridge 1 is open. In it, you see ...", "In drawer 1, you
/// see ...", "The fridge 1 is closed.", "drawer 1 is closed."
bool read_place(std::string_view text, Reply& reply) {
  std::string_view place;
  std::string_view list;
  const bool on = text.starts_with("On ");
  const bool in = text.starts_with("In ");
  if ((on || in) && cut(text.substr(3), ", you see ", place, list)) {
    reply.door = in;
  } else if (cut(text, " is open. In it, you see ", place, list)) {
    consume_prefix(place, "The ");
    reply.door = true;
  } else if (cut(text, " is closed", place, list)) {
    consume_prefix(place, "The ");
    reply.kind = ReplyKind::kIsClosed;
    reply.place = without_article(place);
    reply.door = true;
    return true;
  } else {
    return false;
  }
  reply.kind = ReplyKind::kShows;
  reply.place = without_article(place);
  reply.contents = read_list(without_stop(list));
  return true;
}

}  // namespace

std::string_view type_of(std::string_view name) {
  const std::size_t blank = name.rfind(' ');
  return blank == std::string_view::npos ? name : name.substr(0, blank);
}

std::vector<std::string> read_list(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string& piece : split(list, ',')) {
    std::string_view name = trim(piece);
    consume_prefix(name, "and ");
    consume_prefix(name, "a ");
    if (!name.empty() && name != "nothing") {
      names.emplace_back(name);
    }
  }
  return names;
}

Reply read_reply(std::string_view text) {
  Reply reply;
  text = trim(text);
  if (text.starts_with("Nothing happens")) {
    reply.kind = ReplyKind::kRefused;
    return reply;
  }
  if (const std::size_t room = text.find("You are in the middle of a room");
      room != std::string_view::npos) {
    std::string_view before;
    std::string_view list;
    if (cut(text.substr(room), "you see ", before, list)) {
      reply.kind = ReplyKind::kRoom;
      reply.contents = read_list(list.substr(0, list.find('.')));
    }
    return reply;
  }
  std::string_view first;
  std::string_view rest;
  if (text.starts_with("You arrive at ") && cut(text, ". ", first, rest)) {
    text = rest;
  } else if (text.starts_with("You open ") && cut(text, ". ", first, rest)) {
    text = rest;
  }
  if (read_move(text, reply) || read_place(text, reply)) {
    return reply;
  }
  std::string_view named = without_stop(text);
  if (consume_prefix(named, "You close ")) {
    reply.kind = ReplyKind::kClosed;
    reply.place = without_article(named);
    reply.door = true;
  } else if (consume_prefix(named, "You turn on ") || consume_prefix(named, "You turn off ")) {
    reply.kind = ReplyKind::kUsed;
    reply.object = without_article(named);
  } else if (consume_prefix(named, "You are carrying: ")) {
    reply.kind = ReplyKind::kCarries;
    const auto carried = read_list(named);
    reply.object = carried.empty() ? "" : carried.front();
  } else if (named == "You are not carrying anything") {
    reply.kind = ReplyKind::kCarries;
  }
  return reply;
}

}  // namespace dreamgym::alfworld
