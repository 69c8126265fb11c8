#include "dreamgym/worlds/invented/phrasing.h"

#include <array>

namespace dreamgym::invented {

std::string fill(std::string_view pattern, std::initializer_list<Slot> slots) {
  std::string text;
  text.reserve(pattern.size() + 64);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_slot = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
    if (!is_slot) {
      text += pattern[i];
      continue;
    }
    for (const Slot& slot : slots) {
      if (slot.key == pattern[i + 1]) {
        text += slot.text;
      }
    }
    i += 2;
  }
  return text;
}

std::string list_text(const std::vector<std::string>& items, const ListForm& form) {
  if (items.empty()) {
    return std::string(form.nothing);
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      text += i + 1 == items.size() ? form.last : form.between;
    }
    text += form.article;
    text += items[i];
  }
  return text;
}

ListForm draw_list_form(Rng& rng) {
  static constexpr std::array<ListForm, 7> kForms = {{
      {"a ", ", ", ", and ", "nothing"},
      {"a ", ", ", ", and ", "nothing"},
      {"a ", ", ", " and ", "nothing"},
      {"the ", ", ", " and ", "nothing at all"},
      {"", ", ", ", ", "nothing"},
      {"one ", ", ", " and ", "no things"},
      {"", " ; ", " ; ", "-"},
  }};
  return kForms[rng.below(kForms.size())];
}

}  // namespace dreamgym::invented
