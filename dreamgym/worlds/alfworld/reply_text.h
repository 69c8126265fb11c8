// What a reply says, read from its text alone, in any of the dialects.
//
// Lenient, since dreamed replies are read too: what is not understood is kOther.
// Thread safety: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::alfworld {

enum class ReplyKind {
  kRefused,   ///< "Nothing happens."
  kRoom,      ///< "You are in the middle of a room. ..., you see a bed 1, ...": contents
  kShows,     ///< what is in or on a place: place, contents
  kIsClosed,  ///< "The fridge 1 is closed.": place
  kTook,      ///< object, place
  kPut,       ///< object, place
  kClosed,    ///< "You close the fridge 1.": place
  kTreated,   ///< "You heat the mug 1 using the microwave 1.": object, place, word
  kUsed,      ///< "You turn on the desklamp 1.": object
  kCarries,   ///< inventory: object, "" if nothing
  kOther
};

struct Reply {
  ReplyKind kind = ReplyKind::kOther;
  std::string place;
  std::string object;
  std::string word;   ///< kTreated: "clean", "heat" or "cool"
  bool door = false;  ///< the place can be opened and closed (and is open if it shows contents)
  std::vector<std::string> contents;
};

Reply read_reply(std::string_view text);

/// "a mug 2, a mug 1, and a pan 1" -> its names; "nothing" -> none. Also without articles.
std::vector<std::string> read_list(std::string_view list);

/// "mug 1" -> "mug".
std::string_view type_of(std::string_view name);

}  // namespace dreamgym::alfworld
