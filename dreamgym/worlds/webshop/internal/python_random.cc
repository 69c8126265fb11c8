#include "dreamgym/worlds/webshop/internal/python_random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {

PythonRandom::PythonRandom(std::uint64_t seed) {
  state_[0] = 19650218U;
  for (std::size_t i = 1; i < kWords; ++i) {
    state_[i] =
        1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + static_cast<std::uint32_t>(i);
  }
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                            static_cast<std::uint32_t>(seed >> 32U)};
  const std::size_t key_words = key[1] == 0 ? 1 : 2;
  std::size_t i = 1;
  std::size_t j = 0;
  const auto advance = [&] {
    if (++i == kWords) {
      state_[0] = state_[kWords - 1];
      i = 1;
    }
  };
  for (std::size_t k = 0; k < kWords; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1664525U)) + key[j] +
                static_cast<std::uint32_t>(j);
    advance();
    j = (j + 1) % key_words;
  }
  for (std::size_t k = 1; k < kWords; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30U)) * 1566083941U)) -
                static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000U;
}

void PythonRandom::twist() {
  constexpr std::size_t kShift = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t mixed =
        (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
    state_[i] =
        state_[(i + kShift) % kWords] ^ (mixed >> 1U) ^ ((mixed & 1U) != 0 ? 0x9908b0dfU : 0U);
  }
  index_ = 0;
}

std::uint32_t PythonRandom::next() {
  if (index_ == kWords) {
    twist();
  }
  std::uint32_t word = state_[index_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9d2c5680U;
  word ^= (word << 15U) & 0xefc60000U;
  return word ^ (word >> 18U);
}

double PythonRandom::random() {
  const std::uint32_t high = next() >> 5U;
  const std::uint32_t low = next() >> 6U;
  return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

std::uint64_t PythonRandom::below(std::uint64_t bound) {
  check(bound > 0, "a draw has something to draw from");
  const auto bits = static_cast<unsigned>(std::bit_width(bound));
  const auto draw = [&]() -> std::uint64_t {
    if (bits <= 32) {
      return next() >> (32U - bits);
    }
    const std::uint64_t low = next();
    return low | (std::uint64_t{next() >> (64U - bits)} << 32U);
  };
  std::uint64_t number = draw();
  while (number >= bound) {
    number = draw();
  }
  return number;
}

std::pair<std::size_t, std::size_t> PythonRandom::sample_two(std::size_t population) {
  check(population >= 2 && population <= 21, "two are drawn from 2 to 21");
  const std::size_t first = below(population);
  const std::size_t second = below(population - 1);
  return {first,
          second == first ? population - 1 : second};  // the last takes the drawn one's place
}

std::vector<std::size_t> PythonRandom::sample(std::size_t population, std::size_t count) {
  check(count <= population, "a sample is no larger than its population");
  std::size_t pool_limit = 21;
  if (count > 5) {
    const double exponent = std::ceil(std::log(static_cast<double>(count * 3)) / std::log(4.0));
    pool_limit += static_cast<std::size_t>(std::pow(4.0, exponent));
  }
  std::vector<std::size_t> drawn;
  if (population <= pool_limit) {
    std::vector<std::size_t> pool(population);
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t j = below(population - i);
      drawn.push_back(pool[j]);
      pool[j] = pool[population - i - 1];
    }
    return drawn;
  }
  std::set<std::size_t> selected;
  while (drawn.size() < count) {
    const std::size_t number = below(population);
    if (selected.insert(number).second) {
      drawn.push_back(number);
    }
  }
  return drawn;
}

}  // namespace dreamgym::webshop
