// What changes in an episode: about a kibibyte for the largest real house, copied freely.
//
// Thread safety: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dreamgym/worlds/alfworld/game_description.h"

namespace dreamgym::alfworld {

/// Where GameState::bits holds what. Bit sets over receptacles take receptacle_words words, over
/// locations location_words.
struct StateLayout {
  std::size_t num_objects = 0;
  std::size_t receptacle_words = 0;
  std::size_t location_words = 0;

  [[nodiscard]] std::size_t inside(Index object) const {
    return receptacle_words * (1 + std::size_t{object});
  }
  [[nodiscard]] std::size_t left(Index object) const {
    return receptacle_words * (1 + num_objects + object);
  }
  [[nodiscard]] std::size_t at(Index object) const {
    return receptacle_words * (1 + 2 * num_objects) + location_words * object;
  }
  [[nodiscard]] std::size_t num_words() const {
    return receptacle_words * (1 + 2 * num_objects) + location_words * num_objects;
  }
};

inline bool test_bit(const std::uint64_t* set, Index index) {
  return ((set[index / 64] >> (index % 64)) & 1U) != 0;
}
inline void set_bit(std::uint64_t* set, Index index) {
  set[index / 64] |= 1ULL << (index % 64);
}
inline void clear_bit(std::uint64_t* set, Index index) {
  set[index / 64] &= ~(1ULL << (index % 64));
}

struct GameState {
  Index location = kNone;  ///< of the agent
  Index held = kNone;      ///< object in the agent's hand
  /// [layout.num_words()] opened receptacles; per object: receptacles it lies in; receptacles it
  /// was taken out of and not put back into (only the look text shows these: the reference engine
  /// stores that negated fact); locations it is at.
  std::vector<std::uint64_t> bits;
  std::vector<std::uint8_t> conditions;  ///< [objects] of Condition
  bool operator==(const GameState&) const = default;

  [[nodiscard]] const std::uint64_t* opened() const { return bits.data(); }
  [[nodiscard]] const std::uint64_t* inside(const StateLayout& layout, Index object) const {
    return bits.data() + layout.inside(object);
  }
  [[nodiscard]] const std::uint64_t* left(const StateLayout& layout, Index object) const {
    return bits.data() + layout.left(object);
  }
  [[nodiscard]] const std::uint64_t* at(const StateLayout& layout, Index object) const {
    return bits.data() + layout.at(object);
  }
};

}  // namespace dreamgym::alfworld
