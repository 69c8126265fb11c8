// Preference pairs as dialogues, and in ETO's JSON format.
//
//   {"id": "...", "prompt": [turn...], "chosen": [turn...], "rejected": [turn...]}
//   turn = {"from": "human" | "gpt", "value": "..."}
//
// The prompt ends with the observation both episodes faced; chosen and rejected are multi-turn
// tails that begin and end with a turn of the agent. Thread safety: reentrant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/types.h"
#include "dreamgym/train/preference_pairs.h"

namespace dreamgym {

struct DialogueTurn {
  bool by_agent = false;  ///< only these are summed in the loss
  std::string text;
  bool operator==(const DialogueTurn&) const = default;
};

struct PreferenceRecord {
  std::string id;
  std::vector<DialogueTurn> prompt;
  std::vector<DialogueTurn> chosen;
  std::vector<DialogueTurn> rejected;
  bool operator==(const PreferenceRecord&) const = default;
};

/// The two episodes as dialogues. The first turn says task and rules where the first observation
/// does not; the observation after an episode's last action is left out.
PreferenceRecord preference_record(const Trajectory& chosen,
                                   const Trajectory& rejected,
                                   std::size_t shared_steps);

/// One JSON object on one line.
std::string to_eto_json(const PreferenceRecord& record);

/// @throws Error kParse naming the field and what it should be: the four fields, turns that
///         alternate, a prompt that ends with a human turn, tails that begin and end with a gpt
///         turn.
PreferenceRecord preference_record_from_eto(std::string_view json);

}  // namespace dreamgym
