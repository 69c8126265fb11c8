#include "dreamgym/llm/name_tokens.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/text_segments.h"
#include "dreamgym/llm/internal/word_character.h"

namespace dreamgym {
namespace {

/// Whether a blank and a number of one or two digits that is a whole word start here. "12.5" counts
/// no thing.
bool counts_a_thing(std::string_view text, std::size_t blank) {
  if (blank >= text.size() || text[blank] != ' ') {
    return false;
  }
  std::size_t end = blank + 1;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  const bool one_or_two = end - blank == 2 || end - blank == 3;
  const bool decimal = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
  return one_or_two && !decimal && !word_character_at(text, end);
}

bool is_lower_word(std::string_view word) {
  return is_name_word(word) &&
         std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

/// Takes the text from a merged token and, since they can't be made without it, from the tokens
/// built on it.
void retire(BpeVocabulary& vocabulary, TokenId token) {
  std::unordered_set<TokenId> retired{token};
  std::erase_if(vocabulary.merges, [&](const BpeVocabulary::Merge& merge) {
    // A merge comes after those that make its parts, so one pass finds them all.
    if (!retired.contains(merge.left) && !retired.contains(merge.right) &&
        !retired.contains(merge.result)) {
      return false;
    }
    retired.insert(merge.result);
    return true;
  });
  for (const TokenId id : retired) {
    vocabulary.tokens[static_cast<std::size_t>(id)] = unused_token_text(id);
  }
}

}  // namespace

std::vector<std::string> find_names(std::span<const std::string> texts, const NameRule& rule) {
  struct Occurrences {
    std::size_t all = 0;
    std::size_t before_number = 0;
  };
  std::unordered_map<std::string, Occurrences, TextHash, std::equal_to<>> words;
  for (const std::string_view text : texts) {
    for (std::size_t start = 0; start < text.size(); ++start) {
      std::size_t end = start;
      while (end < text.size() && is_letter(text[end])) {
        ++end;
      }
      const auto word = text.substr(start, end - start);
      if (is_lower_word(word) && !word_character_before(text, start) &&
          !word_character_at(text, end)) {
        auto found = words.find(word);
        if (found == words.end()) {
          found = words.emplace(word, Occurrences{}).first;
        }
        ++found->second.all;
        found->second.before_number += counts_a_thing(text, end) ? 1 : 0;
      }
      start = end;
    }
  }
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& [word, count] : words) {
    const double share = static_cast<double>(count.before_number) / static_cast<double>(count.all);
    if (count.before_number >= std::max<std::size_t>(rule.min_count, 1) &&
        share >= rule.min_share) {
      ranked.emplace_back(count.before_number, word);
    }
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> names;
  for (auto& [count, word] : ranked) {
    names.push_back(std::move(word));
  }
  return names;
}

AdoptedNames adopt_names(const BpeTokenizer& tokenizer,
                         const std::vector<std::string>& names,
                         Rng rng) {
  BpeVocabulary vocabulary = tokenizer.vocabulary();
  std::unordered_map<std::string, TokenId> known;
  for (const TokenId id : vocabulary.names) {
    known.emplace(vocabulary.tokens[static_cast<std::size_t>(id)], id);
  }
  std::unordered_set<std::string> fresh_names;
  std::vector<std::string> fresh;
  std::unordered_set<TokenId> used;
  for (const auto& name : names) {
    if (!is_name_word(name)) {
      throw Error(ErrorKind::kInvalidArgument,
                  "name tokens: \"" + name +
                      "\" can't be one, expected two or more ASCII letters or underscores");
    }
    if (const auto found = known.find(name); found != known.end()) {
      used.insert(found->second);
    } else if (fresh_names.insert(name).second) {
      fresh.push_back(name);
    }
  }
  const std::size_t num_known = used.size();
  std::vector<TokenId> pool = vocabulary.name_pool;
  std::erase_if(pool, [&](TokenId id) { return used.contains(id); });
  rng.shuffle(pool);
  const std::size_t num_renamed = std::min(pool.size(), fresh.size());
  for (std::size_t i = 0; i < num_renamed; ++i) {
    if (const auto taken = tokenizer.find(fresh[i])) {
      retire(vocabulary, *taken);
    }
    vocabulary.tokens[static_cast<std::size_t>(pool[i])] = fresh[i];
    used.insert(pool[i]);
  }
  std::erase_if(vocabulary.name_pool, [&](TokenId id) { return used.contains(id); });
  return {.tokenizer = BpeTokenizer(std::move(vocabulary)),
          .num_known = num_known,
          .num_renamed = num_renamed,
          .num_left_out = fresh.size() - num_renamed};
}

}  // namespace dreamgym
