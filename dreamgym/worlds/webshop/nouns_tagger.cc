// tag_nouns(): in product names nearly every word is part of a name, so what counts are the
// exceptions: function words, numbers, and lower-case words that look like adjectives or verbs.
#include <algorithm>
#include <array>
#include <optional>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"
#include "dreamgym/worlds/webshop/nouns.h"

namespace dreamgym::webshop {

Nouns tag_nouns(std::string_view name) {
  return words(python_lower(name));
}

}  // namespace dreamgym::webshop
