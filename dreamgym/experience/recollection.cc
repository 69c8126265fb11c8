#include "dreamgym/experience/recollection.h"

#include <algorithm>

namespace dreamgym {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<std::string> entities_of(std::string_view text) {
  std::vector<std::string> entities;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_lower(text[i]) || (i > 0 && is_lower(text[i - 1]))) {
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_lower(text[end])) {
      ++end;
    }
    std::size_t number = end + 1;
    if (end >= text.size() || text[end] != ' ') {
      continue;
    }
    while (number < text.size() && is_digit(text[number])) {
      ++number;
    }
    if (number > end + 1) {
      entities.emplace_back(text.substr(i, number - i));
    }
  }
  return entities;
}

std::vector<Demonstration> recollect(std::span<const PastStep> past,
                                     std::string_view action,
                                     std::size_t most) {
  const std::vector<std::string> wanted = entities_of(action);
  std::vector<Demonstration> found;
  for (std::size_t i = past.size(); i > 0 && found.size() < most; --i) {
    const PastStep& step = past[i - 1];
    const std::vector<std::string> named = entities_of(step.action);
    const bool shares = std::any_of(named.begin(), named.end(), [&](const std::string& entity) {
      return std::find(wanted.begin(), wanted.end(), entity) != wanted.end();
    });
    const bool same = step.action == action;
    if (shares || same) {
      found.push_back({"", step.action, step.observation});
    }
    if (same) {
      break;
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace dreamgym
