// The tiktoken form: a line "base64 rank" for each token, and no list of merges. Two neighbours
// merge where their joined bytes are a token; the lowest rank goes first.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include <nlohmann/json.hpp>

#include "dreamgym/base/base64.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/text_segments.h"
#include "dreamgym/llm/internal/vocabulary_layout.h"

namespace dreamgym {
namespace {

constexpr std::size_t kMaxTokenBytes = 1024;
constexpr std::uint64_t kNoRank = ~std::uint64_t{0};

std::vector<std::string> read_ranks(std::string_view ranks, const std::string& origin) {
  const auto num_lines = static_cast<std::size_t>(std::ranges::count(ranks, '\n')) + 1;
  std::vector<std::string> tokens;
  for (std::size_t number = 1; !ranks.empty(); ++number) {
    const std::size_t end = std::min(ranks.find('\n'), ranks.size());
    const std::string_view line = trim(ranks.substr(0, end));
    ranks.remove_prefix(std::min(end + 1, ranks.size()));
    if (line.empty()) {
      continue;
    }
    const std::size_t blank = line.find(' ');
    const auto bytes = decode_base64(line.substr(0, blank));
    const std::uint64_t rank =
        blank == line.npos ? kNoRank : parse_unsigned(line.substr(blank + 1)).value_or(kNoRank);
    if (!bytes || bytes->empty() || bytes->size() > kMaxTokenBytes || rank >= max_ids(num_lines)) {
      fail_tokenizer(
          origin,
          fmt::format("line {} is \"{}\", expected base64 and a rank", number, shorten(line, 80)));
    }
    tokens.resize(std::max(tokens.size(), rank + 1));
    if (!tokens[rank].empty()) {
      fail_tokenizer(origin, fmt::format("line {} repeats the rank {}", number, rank));
    }
    tokens[rank] = *bytes;
  }
  return tokens;
}

/// Every way to make each token from two others, by the token's rank.
std::vector<BpeVocabulary::Merge> merges_of(const std::vector<std::string>& tokens) {
  TokenByText by_text;
  by_text.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    by_text.emplace(tokens[id], static_cast<TokenId>(id));
  }
  std::vector<BpeVocabulary::Merge> merges;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const std::string_view text = tokens[id];
    const std::size_t first = merges.size();
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const auto left = by_text.find(text.substr(0, cut));
      const auto right = by_text.find(text.substr(cut));
      if (left != by_text.end() && right != by_text.end()) {
        merges.push_back({left->second, right->second, static_cast<TokenId>(id)});
      }
    }
    std::ranges::sort(merges.begin() + static_cast<std::ptrdiff_t>(first),
                      merges.end(),
                      {},
                      [](const auto& merge) { return std::tuple(merge.left, merge.right); });
  }
  return merges;
}

}  // namespace

PretrainedVocabulary vocabulary_from_tiktoken(std::string_view ranks,
                                              std::string_view layout,
                                              const std::string& origin) {
  const auto root = nlohmann::json::parse(layout, nullptr, false);
  if (!root.is_object()) {
    fail_tokenizer(origin, "the layout is not a JSON object");
  }
  PretrainedVocabulary vocabulary;
  vocabulary.tokens = read_ranks(ranks, origin);
  vocabulary.merges = merges_of(vocabulary.tokens);
  vocabulary.whole_pieces = true;
  read_layout(root, origin, vocabulary);
  return vocabulary;
}

}  // namespace dreamgym
