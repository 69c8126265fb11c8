#include "dreamgym/worlds/webshop/query_words.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "dreamgym/base/text.h"
#include "dreamgym/base/word_marks.h"

namespace dreamgym::webshop {
namespace {

constexpr std::string_view kLimitBegins = ", and price lower than ";
constexpr std::size_t kLongestQuery = 14;  // words

constexpr std::array kFiller = std::to_array<std::string_view>(
    {"a",      "about",     "also",   "am",      "an",    "and",    "any",     "are",
     "as",     "at",        "be",     "buy",     "can",   "choose", "color",   "color:",
     "come",   "comes",     "could",  "dollars", "find",  "for",    "from",    "get",
     "give",   "has",       "have",   "help",    "i",     "i'd",    "i'm",     "id",
     "if",     "im",        "in",     "is",      "it",    "item",   "its",     "kind",
     "like",   "looking",   "made",   "make",    "me",    "my",     "need",    "of",
     "on",     "one",       "or",     "order",   "pick",  "please", "product", "purchase",
     "search", "searching", "select", "should",  "size",  "size:",  "some",    "something",
     "sure",   "that",      "the",    "them",    "these", "they",   "this",    "to",
     "trying", "type",      "type:",  "up",      "want",  "wants",  "was",     "what",
     "which",  "will",      "with",   "would",   "you"});

bool is_filler(std::string_view word) {
  return std::ranges::find(kFiller, word) != kFiller.end();
}

bool ends_clause(const std::string& word) {
  return word == "with" || word == "that" || word == "which" || word.ends_with(',') ||
         word.ends_with('.') || word.ends_with(';');
}

void add_words(std::vector<std::string>& kept, const std::string& word) {
  const std::string clean(without_marks(to_lower(word), ".,;:!?\"()"));
  if (!clean.empty() && !is_filler(clean) && std::ranges::find(kept, clean) == kept.end()) {
    kept.push_back(clean);
  }
}

void add_query(std::vector<std::string>& queries, std::vector<std::string> words_of_query) {
  words_of_query.resize(std::min(words_of_query.size(), kLongestQuery));
  std::string query = join(words_of_query, " ");
  if (!query.empty() && std::ranges::find(queries, query) == queries.end()) {
    queries.push_back(std::move(query));
  }
}

}  // namespace

std::string_view without_price_limit(std::string_view instruction) {
  return instruction.substr(0, instruction.find(kLimitBegins));
}

std::optional<double> price_limit(std::string_view instruction) {
  const std::size_t at = instruction.find(kLimitBegins);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = instruction.substr(at + kLimitBegins.size());
  double limit = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), limit);
  return read.ec == std::errc() ? std::optional(limit) : std::nullopt;
}

std::vector<std::string> content_words(std::string_view instruction) {
  std::vector<std::string> kept;
  for (const std::string& word : words(without_price_limit(instruction))) {
    add_words(kept, word);
  }
  return kept;
}

std::vector<std::string> suggest_queries(std::string_view instruction) {
  std::vector<std::string> first;
  std::vector<std::string> rest;
  bool in_first = true;
  for (const std::string& word : words(without_price_limit(instruction))) {
    if (in_first && word == "with") {
      in_first = first.empty();
    }
    add_words(in_first ? first : rest, word);
    in_first = in_first && (first.empty() || !ends_clause(word));
  }
  std::vector<std::string> queries;
  add_query(queries, content_words(instruction));
  add_query(queries, std::move(first));
  add_query(queries, std::move(rest));
  if (queries.empty()) {
    queries.emplace_back("item");
  }
  return queries;
}

}  // namespace dreamgym::webshop
