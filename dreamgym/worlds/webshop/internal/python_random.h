// CPython's random.Random, draw for draw: what the original shop shuffles and draws with.
//
// Only for compatibility with recorded data; our own draws come from base/rng.h.
// Thread safety: none. Source: CPython 3.8 Modules/_randommodule.c, Lib/random.py (behaviour).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dreamgym::webshop {

class PythonRandom {
 public:
  /// random.seed(int): init_by_array of the seed's 32-bit words.
  explicit PythonRandom(std::uint64_t seed);

  /// random(): 53 bits in [0, 1).
  double random();
  double uniform(double low, double high) { return low + (high - low) * random(); }
  /// _randbelow(bound): uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// sample(range(population), count): distinct numbers in drawing order; count <= population.
  std::vector<std::size_t> sample(std::size_t population, std::size_t count);

  /// sample(range(population), 2) of a small population (2 to 21), without allocating.
  std::pair<std::size_t, std::size_t> sample_two(std::size_t population);

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(i)]);
    }
  }

 private:
  static constexpr std::size_t kWords = 624;

  std::uint32_t next();
  void twist();

  std::array<std::uint32_t, kWords> state_{};
  std::size_t index_ = kWords;
};

}  // namespace dreamgym::webshop
