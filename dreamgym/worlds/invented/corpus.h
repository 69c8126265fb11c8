// The text a base model is trained on: an endless stream of explained episodes from invented
// worlds.
//
// Trajectory i depends only on the configuration, the seed and i, so any number of threads can
// write any part of the stream. Another seed gives a held-out corpus. No name means anything: every
// trajectory deals the pool's names afresh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/worlds/invented/names.h"

namespace dreamgym::invented {

enum class WorldKind { kRooms, kPassages, kShop, kTickets, kBook, kTally, kEcho };

inline constexpr std::size_t kNumWorldKinds = 7;

/// "rooms", "shop", ...
std::string_view world_kind_name(WorldKind kind);

struct CorpusConfig {
  std::size_t num_names = kDefaultNumNames;
  /// Share of each kind, in the enumeration's order; >= 0, not all 0. Need not sum to 1.
  std::vector<double> weights = {0.30, 0.15, 0.15, 0.15, 0.10, 0.07, 0.08};
};

/// Thread safety: at() is reentrant; next() needs one thread.
class InventedCorpus {
 public:
  /// @throws Error kInvalidArgument for impossible weights or pool sizes.
  InventedCorpus(const CorpusConfig& config, std::uint64_t seed);

  /// The trajectory of that number.
  [[nodiscard]] Trajectory at(std::uint64_t index) const;
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
