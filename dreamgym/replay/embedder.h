// An embedder without a model: hashed n-grams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/embedder.h"

namespace dreamgym {

/// Hashed character trigrams and words: no model, no download, the same bits on every machine that
/// rounds like IEEE 754. Lower-cased ASCII, runs of blanks count as one; features are hashed to a
/// dimension and a sign; counts enter with their square root, so that a word repeated in a long
/// page does not drown the rest.
class HashedNgramEmbedder final : public Embedder {
 public:
  struct Options {
    std::size_t dimension = 256;  ///< [16, 65536]
    /// Share of the action in a pair's squared length, in [0, 1]; the state has the rest. The
    /// similarity of two pairs is then about this share times the actions' similarity plus the
    /// rest times the states'.
    double action_share = 0.5;
  };
  HashedNgramEmbedder();
  /// @throws Error kInvalidArgument outside the ranges above.
  explicit HashedNgramEmbedder(Options options);

  [[nodiscard]] std::size_t dimension() const override { return options_.dimension; }
  [[nodiscard]] std::vector<float> embed(std::string_view text) const override;
  [[nodiscard]] std::vector<float> embed_pair(std::string_view state,
                                              std::string_view action) const override;
  [[nodiscard]] std::string name() const override;

 private:
  [[nodiscard]] std::vector<float> features(std::string_view text, std::uint64_t salt) const;

  Options options_;
};

}  // namespace dreamgym
