// The base model: trained on invented worlds to read, copy, recall and keep track.
//
// The text is an endless stream of explained episodes with permuted, invented names
// (worlds/invented), written as the very prompts the house uses later: experience model, agent and
// task variation. No evaluation house is in it. Resumable; reproducible from the seed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/apps/model_folder.h"
#include "dreamgym/base/metrics.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/train/sft.h"

namespace dreamgym {

/// Longest sequence, and longest retrieved demonstration in it; what a base model is also examined with.
inline constexpr std::size_t kPretrainSequenceTokens = 1600;
inline constexpr std::size_t kPretrainDemonstrationTokens = 28;

struct PretrainConfig {
  std::uint64_t seed = 1;
  std::size_t threads = 2;
  std::string preset = "nano";
  std::size_t vocabulary_size = 1280;
  std::size_t updates = 7000;
  /// Folder of a model to go on from, tokenizer included; empty = a new one of the preset's shape.
  Path from;
  double agent_share = 0.35;         ///< of the tokens in demonstrations written from the agent's side
  double agent_weight = 3.0;         ///< of the loss on an agent's actions: few tokens decide much
  double variation_share = 0.03;     ///< of sequences that propose a task
  double demonstration_share = 0.6;  ///< of experience sequences with retrieved demonstrations
  SftConfig sft = {.tokens_per_update = 8192,
                   .tokens_per_micro_batch = 4096,
                   .optimizer = {.kind = OptimizerKind::kMuon,
                                 .learning_rate = 3e-3,
                                 .muon_learning_rate = 0.02,
                                 .weight_decay = 0.02},
                   .warmup_share = 0.02,
                   .checkpoint_every = 250};
};

/// Trains (or continues in `folder`/checkpoints) and returns the model. Metrics under "pretrain".
ModelFiles pretrain(const PretrainConfig& config,
                    const Path& folder,
                    MetricsSink* metrics,
                    ProgressSink* progress);

}  // namespace dreamgym
