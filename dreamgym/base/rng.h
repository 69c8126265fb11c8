// Random streams that are forked by name and index, never by arithmetic on seeds.
//
// A fork depends only on the parent's key, the name and the index, not on how much the parent has
// drawn; so another thread or log line changes no stream. The distributions are our own, since the
// standard ones differ between libraries. Counter-based (SplitMix64 over a 64-bit key).
// Thread safety: one Rng per thread; fork() is const.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dreamgym {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  /// The stream called `name` (and numbered `index`) below this one.
  [[nodiscard]] Rng fork(std::string_view name, std::uint64_t index = 0) const;

  /// 64 uniform bits.
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in {0, ..., bound - 1}; bound > 0. Unbiased.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller).
  double normal();
  /// Index drawn with probability weights[i] / sum; weights >= 0 and not all 0.
  std::size_t categorical(std::span<const double> weights);

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(i)]);
    }
  }
  /// One of the items, uniformly; items not empty.
  template <class T>
  const T& choose(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  /// Key and number of draws so far: the whole state, for checkpoints.
  struct State {
    std::uint64_t key = 0;
    std::uint64_t counter = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] State state() const { return state_; }
  explicit Rng(State state) : state_(state) {}

 private:
  State state_;
};

}  // namespace dreamgym
