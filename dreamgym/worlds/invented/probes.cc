#include "dreamgym/worlds/invented/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/invented/names.h"
#include "dreamgym/worlds/invented/rooms_world.h"
#include "dreamgym/worlds/invented/simulator.h"

namespace dreamgym::invented {
namespace {

constexpr std::size_t kMinSpare = 100;  ///< pieces an episode needs beyond the recall distance

/// One episode, read step by step.
class Reader {
 public:
  explicit Reader(const Trajectory& trajectory) : trajectory_(trajectory) {
    pieces_ = count_pieces(trajectory.task.instruction) +
              count_pieces(trajectory.steps.front().observation.text);
  }

  /// Reads the step and returns the pieces from the fact it rests on, if it asks for the ability.
  std::optional<std::size_t> read(std::size_t index, Ability ability) {
    const Transition& step = trajectory_.steps[index];
    const auto trace = parse_reasoning_trace(step.reasoning_trace);
    check(trace.has_value(), "a trace of our own parses");
    const std::string effect = trace->find("effect").value_or("");
    const std::string at = trace->find("at").value_or("");
    const std::string hold = trace->find("hold").value_or("");
    const std::size_t question = pieces_ + count_pieces(step.action);
    std::optional<std::size_t> distance;
    if (ability == Ability::kCopy && effect == effects::kMoved && repeats_action(step)) {
      distance = 0;
    }
    const bool shows = effect == effects::kNew || effect == effects::kAgain;
    const auto shown = shown_at_.find(at);
    if (ability == Ability::kRecall && effect == effects::kAgain && shown != shown_at_.end() &&
        lists_several(step)) {
      distance = question - shown->second;
    }
    if (ability == Ability::kTracking && hold != "nothing" && hold == held_ &&
        index >= held_since_ + kTrackedSteps && effect != effects::kInvalid) {
      distance = question - held_at_;
    }
    pieces_ =
        question + count_pieces(step.reasoning_trace) + count_pieces(step.next_observation.text);
    if (shows) {
      shown_at_[at] = pieces_;
    }
    if (hold != held_) {
      held_ = hold;
      held_since_ = index;
      held_at_ = pieces_;
    }
    length_ = question;
    return distance;
  }

  /// Pieces up to the step read last.
  [[nodiscard]] std::size_t length() const { return length_; }

 private:
  static constexpr std::size_t kTrackedSteps = 3;

  /// The reply holds a name of the action: its second word or a later one.
  static bool repeats_action(const Transition& step) {
    const std::vector<std::string> named = words(step.action);
    return std::ranges::any_of(named.begin() + 1, named.end(), [&](const std::string& word) {
      constexpr std::size_t kShortestName = 5;
      return word.size() >= kShortestName && contains(step.next_observation.text, word);
    });
  }

  static bool lists_several(const Transition& step) {
    return contains(step.next_observation.text, ",") ||
           contains(step.next_observation.text, " and ");
  }

  const Trajectory& trajectory_;
  std::map<std::string, std::size_t> shown_at_;  ///< pieces read when contents were last shown
  std::string held_ = "nothing";
  std::size_t held_since_ = 0;
  std::size_t held_at_ = 0;
  std::size_t pieces_ = 0;
  std::size_t length_ = 0;
};

Trajectory play_long(const NamePool& pool, const Rng& rng) {
  NameDeal names(pool, rng.fork("names"));
  RoomsWorld world(names, rng.fork("world"));
  const Actor actor{.kind = ActorKind::kNoisy, .noise = 0.7, .step_limit = 60};
  return play(world, actor, rng.fork("play"));
}

/// The last step of the episode that asks for the ability, within the limits.
std::optional<Probe> find_probe(Ability ability, const ProbeOptions& options, Trajectory episode) {
  Reader reader(episode);
  std::optional<Probe> probe;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < episode.steps.size(); ++i) {
    const auto distance = reader.read(i, ability);
    const bool is_far =
        ability != Ability::kRecall || (distance && *distance >= options.recall_distance);
    if (distance && is_far && reader.length() <= options.most_pieces) {
      probe.emplace();
      probe->distance = *distance;
      probe->length = reader.length();
      asked = i;
    }
  }
  if (!probe) {
    return std::nullopt;
  }
  episode.steps.resize(asked + 1);
  const Transition& last = episode.steps.back();
  probe->ability = ability;
  probe->asks_trace = ability == Ability::kTracking;
  probe->expected = probe->asks_trace ? last.reasoning_trace : last.next_observation.text;
  probe->episode = std::move(episode);
  return probe;
}

}  // namespace

std::string_view ability_name(Ability ability) {
  static constexpr std::array<std::string_view, 3> kNames = {"copy", "recall", "tracking"};
  return kNames[static_cast<std::size_t>(ability)];
}

std::vector<Probe> make_probes(Ability ability, const ProbeOptions& options, std::uint64_t seed) {
  if (options.count == 0 || options.most_pieces < options.recall_distance + kMinSpare) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("probes: got count {}, {} pieces for a recall over {}; expected count "
                            "> 0 and at least {} pieces more than the recall distance",
                            options.count,
                            options.most_pieces,
                            options.recall_distance,
                            kMinSpare));
  }
  const NamePool pool;
  const Rng rng = Rng(seed).fork("probes").fork(ability_name(ability));
  std::vector<Probe> probes;
  for (std::uint64_t i = 0; probes.size() < options.count; ++i) {
    Trajectory episode = play_long(pool, rng.fork("episode", i));
    episode.episode_id = fmt::format("probe-{}-{}", ability_name(ability), i);
    episode.task.id = episode.episode_id;
    if (auto probe = find_probe(ability, options, std::move(episode))) {
      probes.push_back(std::move(*probe));
    }
  }
  return probes;
}

std::size_t count_pieces(std::string_view text) {
  std::size_t count = 0;
  bool in_word = false;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_letter = std::isalpha(byte) != 0;
    const bool is_mark = !is_letter && std::isspace(byte) == 0;
    count += (is_letter && !in_word) || is_mark ? 1 : 0;
    in_word = is_letter;
  }
  return count;
}

}  // namespace dreamgym::invented
