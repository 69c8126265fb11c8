// What an experience model is taught, all of it: to dream (Eq. 5) and to vary tasks (Eq. 6).
#pragma once

#include <memory>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

/// @param stories  explained episodes, dreamed again step by step.
/// @param tasks    with first observations; each is taught as the variation of another.
/// @param rng      of the run; the streams of this are named after what they choose.
std::vector<TrainingSequence> experience_lessons(const ExperimentConfig& config,
                                                 const std::shared_ptr<const BpeTokenizer>& tokenizer,
                                                 const std::vector<Trajectory>& stories,
                                                 const std::vector<Task>& tasks,
                                                 const ReplayBuffer& buffer,
                                                 const Rng& rng);

}  // namespace dreamgym
