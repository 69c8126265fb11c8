#include "dreamgym/llm/trie_walk.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {

std::vector<std::vector<TokenId>> allowed_along(const TokenTrie& trie,
                                                std::span<const TokenId> tokens) {
  std::vector<std::vector<TokenId>> sets;
  sets.reserve(tokens.size());
  TokenTrie::Node node = trie.root();
  for (const TokenId token : tokens) {
    const std::span<const TokenId> allowed = trie.allowed(node);
    const auto found = std::lower_bound(allowed.begin(), allowed.end(), token);
    check(found != allowed.end() && *found == token, "the reply is a path of its trie");
    sets.emplace_back(allowed.begin(), allowed.end());
    node = trie.child(node, static_cast<std::size_t>(found - allowed.begin()));
  }
  return sets;
}

}  // namespace dreamgym
