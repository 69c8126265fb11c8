// Held-out questions that measure what a base model can do: copy, recall, keep track.
//
// A probe is an episode cut off after one step whose reply follows from what was read before. Put
// the episode into the experience model's prompt up to that step's action (and trace, if the reply
// is asked for) and compare the greedy continuation with `expected`. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"

namespace dreamgym::invented {

enum class Ability {
  kCopy,      ///< repeat a name that the action has just named
  kRecall,    ///< list contents last shown `distance` pieces ago
  kTracking,  ///< say where one is and what one holds, picked up some steps ago
};

/// "copy", "recall", "tracking".
std::string_view ability_name(Ability ability);

struct Probe {
  Ability ability = Ability::kCopy;
  Trajectory episode;       ///< its last step is the one asked about
  bool asks_trace = false;  ///< expected is the last step's trace, else its observation
  std::string expected;
  std::size_t distance = 0;  ///< pieces between the fact and the question
  std::size_t length = 0;    ///< pieces of the whole episode up to the question
};

struct ProbeOptions {
  std::size_t count = 100;            ///< > 0
  std::size_t recall_distance = 500;  ///< at least so many pieces back (kRecall)
  std::size_t most_pieces = 1400;     ///< length of the longest episode
};

/// Probes from rooms worlds; their random streams are none of a corpus, so no corpus holds them.
/// @throws Error kInvalidArgument if the options leave no room for an answer.
std::vector<Probe> make_probes(Ability ability, const ProbeOptions& options, std::uint64_t seed);

/// Words, single digits and punctuation marks: close to the number of tokens of a tokenizer that
/// keeps names and digits whole.
std::size_t count_pieces(std::string_view text);

}  // namespace dreamgym::invented
