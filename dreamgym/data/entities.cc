#include "dreamgym/data/entities.h"

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

}  // namespace dreamgym
