#include "dreamgym/base/word_marks.h"

#include "dreamgym/base/text.h"

namespace dreamgym {

std::string_view without_marks(std::string_view word, std::string_view marks) {
  const std::size_t begin = word.find_first_not_of(marks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return word.substr(begin, word.find_last_not_of(marks) - begin + 1);
}

std::vector<std::string> lower_words_without_marks(std::string_view text, std::string_view marks) {
  std::vector<std::string> out;
  for (const std::string& word : words(to_lower(text))) {
    if (const std::string_view bare = without_marks(word, marks); !bare.empty()) {
      out.emplace_back(bare);
    }
  }
  return out;
}

}  // namespace dreamgym
