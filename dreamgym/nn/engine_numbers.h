// The numbers that the generation engine keeps of weights, for a trainer that is to compute with the
// same ones.
//
// An adapter is trained beside frozen weights and sampled beside packed ones. Where both hold the same
// rounded numbers, the log-probability of a sampled token is the same in both up to the order of sums.
// Pure. Thread safety: reentrant.
#pragma once

#include <string>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym {

/// Rounds each matrix that the engine packs (projections and head) to what it keeps of it. A tied head
/// is the embeddings, which are then rounded with it. Rounding again changes nothing, and an engine
/// with these weights keeps them exactly, in fp32 and in `numbers`.
///
/// @param numbers  as EngineConfig::weights: "fp32" (nothing changes), "bf16" or "int8".
/// @throws Error   kInvalidArgument for another name.
void round_to_engine_numbers(TransformerWeights& weights, const std::string& numbers);

/// Takes an adapter out of rounded weights into which it was merged: what is left is rounded to the
/// numbers it was before.
///
/// @throws Error  kCorrupt if the weights less the adapter are no such numbers; kInvalidArgument as
///                merge_lora() and round_to_engine_numbers().
void unmerge_to_engine_numbers(TransformerWeights& weights,
                               const LoraAdapter& adapter,
                               const std::string& numbers);

}  // namespace dreamgym
