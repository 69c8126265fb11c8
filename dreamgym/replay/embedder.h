// Text to vectors whose dot product says how alike two texts are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

/// Thread safety: const members are reentrant.
class Embedder {
 public:
  virtual ~Embedder() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  /// [dimension] unit vector; all zero only for a text without any character to hash.
  [[nodiscard]] virtual std::vector<float> embed(std::string_view text) const = 0;
  /// [dimension] joint embedding of a state and an action, the key of a transition (paper, section
  /// on the replay buffer: phi(s, a)). By default embed(state, newline, action).
  [[nodiscard]] virtual std::vector<float> embed_pair(std::string_view state,
                                                      std::string_view action) const;
  /// Names the function, so that vectors of different embedders are never mixed.
  [[nodiscard]] virtual std::string name() const = 0;
};

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
