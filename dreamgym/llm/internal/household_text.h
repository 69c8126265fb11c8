// Household sentences for tests: varied, reproducible, with names before numbers.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym {

inline const std::vector<std::string>& household_names() {
  static const std::vector<std::string> names = {"shelf",
                                                 "drawer",
                                                 "garbagecan",
                                                 "soapbottle",
                                                 "mug",
                                                 "plate",
                                                 "keychain",
                                                 "sidetable",
                                                 "desk",
                                                 "cabinet"};
  return names;
}

inline std::string household_thing(Rng& rng) {
  return rng.choose(household_names()) + " " + std::to_string(rng.below(30));
}

/// An observation with an action before it, e.g. "go to shelf 8\nOn the shelf 8, you see a mug 2,
/// and a plate 1.\n".
inline std::string household_text(std::uint64_t seed) {
  Rng rng(seed);
  std::string place = household_thing(rng);
  std::string text = "go to " + place + "\nOn the " + place + ", you see ";
  const std::size_t count = rng.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    text += "a " + household_thing(rng) + (i + 2 == count ? ", and " : ", ");
  }
  text += count == 0 ? "nothing.\n" : "and that is all.\n";
  if (rng.below(2) == 0) {
    text += "You put the " + household_thing(rng) + " in/on the " + place + ".\n";
  } else {
    text += "The " + place + " is closed. Think: no " + rng.choose(household_names()) + " here.\n";
  }
  return text;
}

inline std::vector<std::string> household_texts(std::size_t count) {
  std::vector<std::string> texts;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    texts.push_back(household_text(seed));
  }
  return texts;
}

/// Up to max_bytes bytes of every value, among them pieces that look like markers and names.
inline std::string random_bytes(Rng& rng, std::size_t max_bytes) {
  static const std::vector<std::string> pieces = {
      "<|action|>", "<|", "mug", " 7", "42", " mug 1", "\xc3\xa9", "\xf0\x9f\x90\xb1", "  ", "\n"};
  std::string text;
  const std::size_t size = rng.below(max_bytes + 1);
  while (text.size() < size) {
    if (rng.below(3) == 0) {
      text += rng.choose(pieces);
    } else {
      text += static_cast<char>(rng.below(256));
    }
  }
  return text;
}

}  // namespace dreamgym
