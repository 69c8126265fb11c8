#include "dreamgym/llm/token_trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

using Choices = std::vector<std::vector<TokenId>>;

void collect(const TokenTrie& trie,
             TokenTrie::Node node,
             std::vector<TokenId>& path,
             std::set<std::vector<TokenId>>& paths) {
  if (trie.leaf(node)) {
    paths.insert(path);
    return;
  }
  const auto allowed = trie.allowed(node);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    path.push_back(allowed[i]);
    collect(trie, trie.child(node, i), path, paths);
    path.pop_back();
  }
}

TEST(TokenTrie, HasExactlyTheChoicesAsItsPaths) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::set<std::vector<TokenId>> wanted;
    Choices choices;
    const std::size_t count = 1 + rng.below(40);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<TokenId> choice(rng.below(6));
      std::ranges::generate(choice, [&] { return static_cast<TokenId>(1 + rng.below(4)); });
      choice.push_back(0);  // the stop token
      wanted.insert(choice);
      choices.push_back(choice);
    }
    const TokenTrie trie(choices);
    std::set<std::vector<TokenId>> found;
    std::vector<TokenId> path;
    collect(trie, trie.root(), path, found);
    EXPECT_EQ(found, wanted) << "seed " << seed;
  }
}

TEST(TokenTrie, ListsAllowedTokensInAscendingOrder) {
  const TokenTrie trie({{9, 1}, {2, 1}, {5, 3}, {5, 2}});
  const auto first = trie.allowed(trie.root());
  EXPECT_EQ(std::vector<TokenId>(first.begin(), first.end()), (std::vector<TokenId>{2, 5, 9}));
  const auto second = trie.allowed(trie.child(trie.root(), 1));
  EXPECT_EQ(std::vector<TokenId>(second.begin(), second.end()), (std::vector<TokenId>{2, 3}));
}

TEST(TokenTrie, RefusesWhatIsNoChoice) {
  EXPECT_THROW(TokenTrie(Choices{}), Error);
  EXPECT_THROW(TokenTrie(Choices{{1}, {}}), Error);
  EXPECT_THROW(TokenTrie(Choices{{1, 2, 3}, {4}, {1, 2}}), Error);
  EXPECT_NO_THROW(TokenTrie(Choices{{1, 2}, {1, 2}}));
}

TEST(TokenTrie, RefusesANodeOrChildItDoesNotHave) {
  const TokenTrie trie(Choices{{1, 2}});
  EXPECT_THROW((void)trie.allowed(17), LogicError);
  EXPECT_THROW((void)trie.child(trie.root(), 1), LogicError);
}

TEST(TrieWalk, GivesTheAllowedSetAtEachToken) {
  const TokenTrie trie({{7, 1, 0}, {7, 2, 0}, {3, 0}});
  const std::vector<TokenId> reply{7, 2, 0};
  EXPECT_EQ(allowed_along(trie, reply), (Choices{{3, 7}, {1, 2}, {0}}));
}

TEST(TrieWalk, TellsWhetherTokensReachALeaf) {
  const TokenTrie trie({{7, 1, 0}, {3, 0}});
  EXPECT_TRUE(is_path(trie, std::vector<TokenId>{3, 0}));
  EXPECT_FALSE(is_path(trie, std::vector<TokenId>{7, 1}));
  EXPECT_FALSE(is_path(trie, std::vector<TokenId>{7, 0}));
  EXPECT_FALSE(is_path(trie, std::vector<TokenId>{3, 0, 0}));
  EXPECT_THROW((void)allowed_along(trie, std::vector<TokenId>{7, 0}), LogicError);
}

}  // namespace
}  // namespace dreamgym
