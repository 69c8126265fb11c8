// The text a base model is trained on: an endless stream of explained episodes from invented
// worlds.
//
// Trajectory i depends only on the configuration, the seed and i, so any number of threads can
// write any part of the stream. Another seed gives a held-out corpus. No name means anything: every
// trajectory deals the pool's names afresh (only siblings share them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/worlds/invented/names.h"

namespace dreamgym::invented {

enum class WorldKind { kHouses, kRooms, kPassages, kShop, kTickets, kBook, kTally, kEcho };

inline constexpr std::size_t kNumWorldKinds = 8;

/// "houses", "rooms", ...
std::string_view world_kind_name(WorldKind kind);

struct CorpusConfig {
  std::size_t num_names = kDefaultNumNames;
  /// Share of each kind, in the enumeration's order; >= 0, not all 0. Need not sum to 1.
  std::vector<double> weights = {0.52, 0.17, 0.06, 0.07, 0.06, 0.03, 0.06, 0.03};
};

/// Thread safety: at() is reentrant; next() needs one thread.
class InventedCorpus {
 public:
  /// @throws Error kInvalidArgument for impossible weights or pool sizes.
  InventedCorpus(const CorpusConfig& config, std::uint64_t seed);

  /// The trajectory of that number.
  /// @param sibling  another actor's episode in the same world, names and task included: what a
  ///                 demonstration of it may be taken from.
  [[nodiscard]] Trajectory at(std::uint64_t index, std::uint64_t sibling = 0) const;
  /// at(0), at(1), ...
  Trajectory next() { return at(next_index_++); }

 private:
  CorpusConfig config_;
  NamePool pool_;
  std::uint64_t seed_;
  std::uint64_t next_index_ = 0;
};

/// True if its actions are worth imitating: a competent actor's success in a world with a purpose
/// (not a drill).
bool is_demonstration(const Trajectory& trajectory);

}  // namespace dreamgym::invented
