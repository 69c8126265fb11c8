#include "dreamgym/worlds/invented/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::invented {
namespace {

constexpr std::uint64_t kPoolSeed = 0x6e616d65;  // part of the data format: changing it renames all
constexpr std::size_t kMinNames = 64;
constexpr std::size_t kMaxNames = 2000;

// Consonants that English rarely combines keep the words out of the dictionary.
constexpr std::array<std::string_view, 22> kOnsets = {"b",  "d",  "f",  "g",  "j",  "k", "l",  "m",
                                                      "n",  "p",  "r",  "t",  "v",  "z", "vr", "zl",
                                                      "kr", "dr", "gl", "br", "pl", "kv"};
constexpr std::array<std::string_view, 5> kVowels = {"a", "e", "i", "o", "u"};
constexpr std::array<std::string_view, 14> kMiddles = {
    "v", "z", "k", "lv", "rz", "mb", "nd", "gr", "zd", "lk", "rm", "bl", "sk", "vn"};
constexpr std::array<std::string_view, 14> kCodas = {
    "k", "x", "z", "b", "f", "lt", "rn", "sk", "mp", "v", "g", "th", "lm", "zt"};

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& pieces, Rng& rng) {
  return pieces[rng.below(N)];
}

std::string make_name(Rng& rng) {
  std::string name;
  name += pick(kOnsets, rng);
  name += pick(kVowels, rng);
  name += pick(kMiddles, rng);
  name += pick(kVowels, rng);
  name += pick(kCodas, rng);
  return name;
}

bool is_acceptable(const std::string& name, const std::vector<std::string>& taken) {
  constexpr std::size_t kMinLetters = 5;
  constexpr std::size_t kMaxLetters = 7;
  if (name.size() < kMinLetters || name.size() > kMaxLetters) {
    return false;
  }
  return std::ranges::none_of(taken, [&](const std::string& other) {
    // One edit cannot change the first and the last letter.
    const bool is_far = name.front() != other.front() && name.back() != other.back();
    return !is_far && edit_distance(name, other) < 2;
  });
}

}  // namespace

NamePool::NamePool(std::size_t num_names) {
  if (num_names < kMinNames || num_names > kMaxNames) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("name pool: got {} names, expected {} to {}", num_names, kMinNames, kMaxNames),
        "the default is enough for every invented world");
  }
  Rng rng(kPoolSeed);
  names_.reserve(num_names);
  while (names_.size() < num_names) {
    std::string name = make_name(rng);
    if (is_acceptable(name, names_)) {
      names_.push_back(std::move(name));
    }
  }
}

NameDeal::NameDeal(const NamePool& pool, Rng rng)
    : pool_(&pool), rng_(rng), order_(pool.names().size()) {
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
}

const std::string& NameDeal::next() {
  check(num_dealt_ < order_.size(), "a trajectory uses no more names than the pool holds");
  const std::size_t chosen = num_dealt_ + rng_.below(order_.size() - num_dealt_);
  std::swap(order_[num_dealt_], order_[chosen]);
  return pool_->names()[order_[num_dealt_++]];
}

std::vector<std::string> NameDeal::next(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(next());
  }
  return names;
}

}  // namespace dreamgym::invented
