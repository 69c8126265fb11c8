// Pronounceable words that mean nothing: the nouns of every invented world.
//
// Each trajectory deals fresh names to its roles, so that a name never tells what it is and a model
// has to read, copy and recall instead of guessing. The pool is one fixed list: the first n names
// of a longer pool are the names of the shorter one. Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym::invented {

inline constexpr std::size_t kDefaultNumNames = 320;

/// Distinct lower-case names of five to seven letters; no English words; any two differ in at least
/// two letters.
class NamePool {
 public:
  /// @param num_names  in [64, 2000]. @throws Error kInvalidArgument otherwise.
  explicit NamePool(std::size_t num_names = kDefaultNumNames);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Names of one trajectory, drawn from a pool without putting back.
/// Lifetime: the pool must outlive it. Thread safety: none.
class NameDeal {
 public:
  NameDeal(const NamePool& pool, Rng rng);

  /// A name nobody else has in this trajectory; the pool must not be used up.
  const std::string& next();
  std::vector<std::string> next(std::size_t count);

 private:
  const NamePool* pool_;
  Rng rng_;
  std::vector<std::uint16_t> order_;  ///< indices; the first num_dealt_ are taken
  std::size_t num_dealt_ = 0;
};

}  // namespace dreamgym::invented
