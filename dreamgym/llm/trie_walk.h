// Where a reply went through the trie it had to choose from. Pure functions.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/llm/token_trie.h"

namespace dreamgym {

/// The allowed set (ascending) at each token of a reply, as TokenLedger::append_sampled wants it.
/// @throws LogicError if the reply leaves the trie.
std::vector<std::vector<TokenId>> allowed_along(const TokenTrie& trie,
                                                std::span<const TokenId> reply);

/// Whether the tokens lead from the root to a leaf.
bool is_path(const TokenTrie& trie, std::span<const TokenId> tokens);

/// All choices, in ascending order.
std::vector<std::vector<TokenId>> all_paths(const TokenTrie& trie);

}  // namespace dreamgym
