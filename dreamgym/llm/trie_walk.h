// The allowed sets a reply was drawn from, read off its trie.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/llm/token_trie.h"

namespace dreamgym {

/// For each token of a walk from the root: the tokens that were allowed there, ascending.
/// @throws LogicError if the tokens are no path of the trie.
std::vector<std::vector<TokenId>> allowed_along(const TokenTrie& trie,
                                                std::span<const TokenId> tokens);

}  // namespace dreamgym
