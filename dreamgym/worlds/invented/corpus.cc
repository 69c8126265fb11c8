#include "dreamgym/worlds/invented/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/invented/book_world.h"
#include "dreamgym/worlds/invented/echo_world.h"
#include "dreamgym/worlds/invented/houses_world.h"
#include "dreamgym/worlds/invented/passages_world.h"
#include "dreamgym/worlds/invented/rooms_world.h"
#include "dreamgym/worlds/invented/shop_world.h"
#include "dreamgym/worlds/invented/simulator.h"
#include "dreamgym/worlds/invented/tally_world.h"
#include "dreamgym/worlds/invented/tickets_world.h"

namespace dreamgym::invented {
namespace {

template <class World>
std::unique_ptr<Simulator> make(NameDeal& names, const Rng& rng) {
  return std::make_unique<World>(names, rng);
}

struct KindEntry {
  std::string_view name;
  std::unique_ptr<Simulator> (*make)(NameDeal&, const Rng&);
  bool is_drill;
};

/// In the order of WorldKind.
constexpr std::array<KindEntry, kNumWorldKinds> kKinds = {{{"houses", make<HousesWorld>, false},
                                                           {"rooms", make<RoomsWorld>, false},
                                                           {"passages", make<PassagesWorld>, false},
                                                           {"shop", make<ShopWorld>, false},
                                                           {"tickets", make<TicketsWorld>, false},
                                                           {"book", make<BookWorld>, false},
                                                           {"tally", make<TallyWorld>, true},
                                                           {"echo", make<EchoWorld>, true}}};

void check_config(const CorpusConfig& config) {
  const bool has_all = config.weights.size() == kNumWorldKinds;
  const bool is_negative =
      std::ranges::any_of(config.weights, [](double weight) { return !(weight >= 0); });
  const bool is_empty =
      std::ranges::none_of(config.weights, [](double weight) { return weight > 0; });
  if (!has_all || is_negative || is_empty) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("corpus weights: got {} values [{}], expected {} values >= 0, not all 0",
                    config.weights.size(),
                    fmt::join(config.weights, ", "),
                    kNumWorldKinds));
  }
}

}  // namespace

std::string_view world_kind_name(WorldKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

InventedCorpus::InventedCorpus(const CorpusConfig& config, std::uint64_t seed)
    : config_(config), pool_(config.num_names), seed_(seed) {
  check_config(config);
}

Trajectory InventedCorpus::at(std::uint64_t index, std::uint64_t sibling) const {
  const Rng rng = Rng(seed_).fork("invented", index);
  const KindEntry& kind = kKinds[rng.fork("kind").categorical(config_.weights)];
  NameDeal names(pool_, rng.fork("names"));
  const std::unique_ptr<Simulator> world = kind.make(names, rng.fork("world"));
  Rng choices = rng.fork("actor", sibling);
  const Actor actor = draw_actor(choices);
  Trajectory trajectory = play(*world, actor, rng.fork("play", sibling));
  trajectory.task.id = fmt::format("invented-{}-{}", to_hex(seed_), index);
  trajectory.task.source = fmt::format("invented/{}", kind.name);
  trajectory.task.seed = index;
  trajectory.episode_id = fmt::format("{}-{}", trajectory.task.id, sibling);
  trajectory.seed = sibling;
  return trajectory;
}

bool is_demonstration(const Trajectory& trajectory) {
  const bool is_drill = std::ranges::any_of(kKinds, [&](const KindEntry& kind) {
    return kind.is_drill && trajectory.task.source == fmt::format("invented/{}", kind.name);
  });
  return !is_drill && trajectory.success() &&
         trajectory.policy_version == actor_kind_name(ActorKind::kExpert);
}

}  // namespace dreamgym::invented
