// LoRA adapters in the layout of PEFT: adapter_config.json and adapter_model.safetensors.
//
// An adapted weight is W + scale * B * A, with A [rank, in] and B [out, rank]. Read and written are
// plain adapters of linear layers; what PEFT can do beyond (DoRA, patterns of ranks, trained
// biases or whole modules) is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym {

struct LoraAdapter {
  std::int64_t rank = 0;
  double alpha = 0;
  bool rank_stabilized = false;             ///< scale alpha / sqrt(rank) instead of alpha / rank
  std::vector<std::string> target_modules;  ///< e.g. "q_proj"; sorted
  std::string base_model;                   ///< name or path, as the file says
  struct Pair {
    WeightArray a;  ///< [rank, in]
    WeightArray b;  ///< [out, rank]
    bool operator==(const Pair&) const = default;
  };
  std::map<std::string, Pair> pairs;  ///< by the adapted weight's name, "model.layers...weight"

  [[nodiscard]] double scale() const;
  bool operator==(const LoraAdapter&) const = default;
};

/// A fresh adapter with the rank, alpha and target_modules of `settings`, a pair for every matrix
/// of such a module: A uniform in +-1 / sqrt(in), B zero, so nothing changes at first.
/// @throws Error kInvalidArgument for a rank below 1 or a module the model does not have.
/// Source: the default initialisation of PEFT.
LoraAdapter initial_lora(const TransformerConfig& config,
                         LoraAdapter settings,
                         std::uint64_t seed);

/// PEFT's name of one side of a weight's pair. @param side  'A' or 'B'.
std::string lora_array_name(const std::string& weight, char side);

/// @throws Error kNotFound, kParse, kCorrupt, kUnsupported naming file and key or array.
LoraAdapter load_lora(const std::string& folder);
/// Each file atomically, in fp32. @throws Error kIo.
void save_lora(const LoraAdapter& adapter, const std::string& folder);

/// Adds the adapter to the weights. Sums in double.
/// @throws Error kInvalidArgument for a pair that fits no weight.
void merge_lora(const LoraAdapter& adapter, TransformerWeights& weights);

}  // namespace dreamgym
