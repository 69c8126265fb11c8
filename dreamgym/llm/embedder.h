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
  /// [dimension] unit vector; all zero only for a text that has nothing to embed.
  [[nodiscard]] virtual std::vector<float> embed(std::string_view text) const = 0;
  /// [dimension] joint embedding of a state and an action, the key of a transition (paper, section
  /// on the replay buffer: phi(s, a)). By default embed(state, newline, action).
  [[nodiscard]] virtual std::vector<float> embed_pair(std::string_view state,
                                                      std::string_view action) const;
  /// Names the function, so that vectors of different embedders are never mixed.
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace dreamgym
