#include "dreamgym/llm/trie_walk.h"

#include <algorithm>
#include <optional>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

std::optional<TokenTrie::Node> next_node(const TokenTrie& trie,
                                         TokenTrie::Node node,
                                         TokenId token) {
  const auto allowed = trie.allowed(node);
  const auto found = std::ranges::lower_bound(allowed, token);
  if (found == allowed.end() || *found != token) {
    return std::nullopt;
  }
  return trie.child(node, static_cast<std::size_t>(found - allowed.begin()));
}

}  // namespace

std::vector<std::vector<TokenId>> allowed_along(const TokenTrie& trie,
                                                std::span<const TokenId> reply) {
  std::vector<std::vector<TokenId>> sets;
  sets.reserve(reply.size());
  TokenTrie::Node node = trie.root();
  for (const TokenId token : reply) {
    const auto allowed = trie.allowed(node);
    sets.emplace_back(allowed.begin(), allowed.end());
    const auto next = next_node(trie, node, token);
    check(next.has_value(), "a reply must stay inside the trie it chose from");
    node = *next;
  }
  return sets;
}

bool is_path(const TokenTrie& trie, std::span<const TokenId> tokens) {
  std::optional<TokenTrie::Node> node = trie.root();
  for (const TokenId token : tokens) {
    node = next_node(trie, *node, token);
    if (!node) {
      return false;
    }
  }
  return trie.leaf(*node);
}

std::vector<std::vector<TokenId>> all_paths(const TokenTrie& trie) {
  struct Place {
    TokenTrie::Node node;
    std::vector<TokenId> path;
  };
  std::vector<std::vector<TokenId>> paths;
  std::vector<Place> open{{trie.root(), {}}};
  while (!open.empty()) {
    const Place place = std::move(open.back());
    open.pop_back();
    if (trie.leaf(place.node)) {
      paths.push_back(place.path);
      continue;
    }
    const auto allowed = trie.allowed(place.node);
    for (std::size_t i = allowed.size(); i-- > 0;) {  // the last pushed is visited first
      Place next{trie.child(place.node, i), place.path};
      next.path.push_back(allowed[i]);
      open.push_back(std::move(next));
    }
  }
  return paths;
}

}  // namespace dreamgym
