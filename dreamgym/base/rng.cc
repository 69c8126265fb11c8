#include "dreamgym/base/rng.h"

#include <cmath>
#include <numbers>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

// Finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : state_{mix(seed), 0} {}

Rng Rng::fork(std::string_view name, std::uint64_t index) const {
  return Rng(State{mix(mix(state_.key ^ hash_text(name)) ^ mix(index + 1)), 0});
}

std::uint64_t Rng::next() {
  return mix(state_.key ^ mix(state_.counter++));
}

double Rng::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  check(bound > 0, "bound > 0");
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t draw = next();
  while (draw >= limit) {
    draw = next();
  }
  return draw % bound;
}

double Rng::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::size_t Rng::categorical(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) {
    check(weight >= 0 && std::isfinite(weight), "weights are finite and >= 0");
    total += weight;
  }
  check(total > 0, "weights are not all 0");
  double remaining = uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) {
      continue;
    }
    last = i;
    remaining -= weights[i];
    if (remaining < 0) {
      return i;
    }
  }
  return last;
}

}  // namespace dreamgym
