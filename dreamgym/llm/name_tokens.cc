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

struct Occurrences {
  std::size_t all = 0;
  std::size_t before_number = 0;
};
using WordCounts = std::unordered_map<std::string, Occurrences, TextHash, std::equal_to<>>;

/// Counts the lower-case words of a text.
void count_words(std::string_view text, WordCounts& counts) {
  for (std::size_t start = 0; start < text.size(); ++start) {
    std::size_t end = start;
    while (end < text.size() && is_letter(text[end])) {
      ++end;
    }
    const auto word = text.substr(start, end - start);
    if (is_lower_word(word) && !word_character_before(text, start) &&
        !word_character_at(text, end)) {
      auto found = counts.find(word);
      if (found == counts.end()) {
        found = counts.emplace(word, Occurrences{}).first;
      }
      ++found->second.all;
      found->second.before_number += counts_a_thing(text, end) ? 1 : 0;
    }
    start = end;
  }
}

WordCounts count_words(std::span<const std::string> texts) {
  WordCounts counts;
  for (const auto& text : texts) {
    count_words(text, counts);
  }
  return counts;
}

using RankedWord = std::pair<std::size_t, std::string>;  // occurrences, word

std::vector<std::string> most_frequent_first(std::vector<RankedWord> ranked) {
  std::ranges::sort(ranked, [](const RankedWord& a, const RankedWord& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> words;
  words.reserve(ranked.size());
  for (auto& [count, word] : ranked) {
    words.push_back(std::move(word));
  }
  return words;
}

bool obeys(const Occurrences& occurrences, const NameRule& rule) {
  const double share =
      static_cast<double>(occurrences.before_number) / static_cast<double>(occurrences.all);
  return occurrences.before_number >= std::max<std::size_t>(rule.min_count, 1) &&
         share >= rule.min_share;
}

/// What adopt_names() is asked for, sorted by what has to be done.
struct WantedNames {
  std::unordered_set<TokenId> known;  ///< name tokens already
  std::vector<std::string> fresh;     ///< no name tokens yet, each once, in their order
};

WantedNames sort_names(const BpeVocabulary& vocabulary, const std::vector<std::string>& names) {
  std::unordered_map<std::string, TokenId> by_name;
  for (const TokenId id : vocabulary.names) {
    by_name.emplace(vocabulary.tokens[static_cast<std::size_t>(id)], id);
  }
  WantedNames wanted;
  std::unordered_set<std::string> seen;
  for (const auto& name : names) {
    if (!is_name_word(name)) {
      throw Error(ErrorKind::kInvalidArgument,
                  "name tokens: \"" + name +
                      "\" can't be one, expected two or more ASCII letters or underscores");
    }
    if (const auto found = by_name.find(name); found != by_name.end()) {
      wanted.known.insert(found->second);
    } else if (seen.insert(name).second) {
      wanted.fresh.push_back(name);
    }
  }
  return wanted;
}

}  // namespace

std::vector<std::string> find_names(std::span<const std::string> texts, const NameRule& rule) {
  std::vector<RankedWord> ranked;
  for (const auto& [word, occurrences] : count_words(texts)) {
    if (obeys(occurrences, rule)) {
      ranked.emplace_back(occurrences.before_number, word);
    }
  }
  return most_frequent_first(std::move(ranked));
}

std::vector<std::string> find_words(std::span<const std::string> texts, std::size_t min_count) {
  std::vector<RankedWord> ranked;
  for (const auto& [word, occurrences] : count_words(texts)) {
    if (occurrences.all >= min_count) {
      ranked.emplace_back(occurrences.all, word);
    }
  }
  return most_frequent_first(std::move(ranked));
}

AdoptedNames adopt_names(const BpeTokenizer& tokenizer,
                         const std::vector<std::string>& names,
                         Rng rng) {
  BpeVocabulary vocabulary = tokenizer.vocabulary();
  auto [used, fresh] = sort_names(vocabulary, names);
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
