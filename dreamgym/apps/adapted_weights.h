// Weights and the adapter that was trained beside them, on disk and to be trained on.
//
// A stage that trains an adapter leaves merged weights, which anyone can run, and the adapter. Where the
// frozen weights were rounded to what the sampler keeps (nn/engine_numbers.h), rounding the merged ones
// again would lose whatever of the adapter is smaller than half a step. So such a folder says in
// adapter/base.json which numbers lie below its adapter, and whoever reads it gets the two apart.
#pragma once

#include <optional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {

struct AdaptedWeights {
  TransformerWeights weights;
  std::optional<LoraAdapter> adapter{};  ///< beside the weights, not in them; nothing = they are all
  std::string numbers = "fp32";          ///< of the weights, as EngineConfig::weights
};

/// @param merged  the weights of the folder (or .gguf file) `model`.
/// @return        base and adapter where the folder says what lies below it; else the weights as they are.
/// @throws Error  as load_lora() and unmerge_to_engine_numbers(); kParse for a damaged base.json.
AdaptedWeights separate_adapter(TransformerWeights merged, const Path& model);

/// adapter/ in PEFT's layout inside the folder, and what it lies on unless that is fp32.
void write_adapter(const LoraAdapter& adapter, const std::string& numbers, const Path& folder);

/// The weights with their adapter in them. Sums in double.
void merge_adapter(AdaptedWeights& model);

/// Rank, scale and targets of the adapter that the settings train (lora_rank above 0), without values.
LoraAdapter wanted_adapter(const PolicyConfig& config);

/// What a stage trains under these settings, from what the stage before left. An adapter for a sampler
/// with narrow weights lies on weights rounded to them, and goes on where one was left there; anything
/// else starts from merged weights.
///
/// @throws Error  kInvalidArgument for an adapter of another shape, or on other numbers, than the
///                settings say.
AdaptedWeights frozen_base(AdaptedWeights model, const PolicyConfig& config);

/// Hands the adapter, if there is one, to an engine that was made with the weights.
void give_adapter(const std::optional<LoraAdapter>& adapter, GenerationEngine& engine);

}  // namespace dreamgym
