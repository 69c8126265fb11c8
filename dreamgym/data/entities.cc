#include "dreamgym/data/entities.h"

#include <algorithm>

namespace dreamgym {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t end_of(std::string_view text, std::size_t begin, bool (*belongs)(char)) {
  while (begin < text.size() && belongs(text[begin])) {
    ++begin;
  }
  return begin;
}

}  // namespace

std::vector<EntitySpan> entity_spans(std::string_view text) {
  std::vector<EntitySpan> spans;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_lower(text[i]) || (i > 0 && is_lower(text[i - 1]))) {
      continue;
    }
    const std::size_t word_end = end_of(text, i, is_lower);
    if (word_end >= text.size() || text[word_end] != ' ') {
      continue;
    }
    const std::size_t end = end_of(text, word_end + 1, is_digit);
    if (end > word_end + 1) {
      spans.push_back({i, end - i, word_end - i});
    }
  }
  return spans;
}

std::vector<std::string> entities_of(std::string_view text) {
  std::vector<std::string> entities;
  for (const EntitySpan& span : entity_spans(text)) {
    entities.emplace_back(text.substr(span.begin, span.length));
  }
  return entities;
}

std::vector<std::string> entities_beside(std::string_view text,
                                         std::string_view place,
                                         std::string_view action) {
  const std::vector<std::string> of_action = entities_of(action);
  std::vector<std::string> things = entities_of(text);
  std::erase_if(things, [&](const std::string& thing) {
    return thing == place || std::ranges::find(of_action, thing) != of_action.end();
  });
  return things;
}

}  // namespace dreamgym
