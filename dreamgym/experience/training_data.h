// Annotated transitions as what the experience model learns from (paper Eq. 5).
//
// -log P(R_t | s_t, a_t, H_t, D_k) - log P(s_{t+1} | s_t, a_t, R_t, H_t, D_k): the prompt is masked,
// the two terms weigh the same per token, retrieval is present and never offers a step of the
// sequence's own episode. With demonstrations each step is a branch of the shared history; a share of
// the sequences is taught without them (the history itself carries the loss), so that the model also
// works when nothing similar is known.
// Deviation: Eq. 5 has no reward term; the end flag is part of the target (it closes s_{t+1}).
#pragma once

#include <span>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/experience/recollection.h"
#include "dreamgym/llm/training_sequence.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

struct ExperienceDataOptions {
  std::size_t num_demonstrations = 1;   ///< k at training time
  double diversity = 0;                 ///< of the k, as the model will see them (retrieval.h)
  std::size_t num_recollections = 6;    ///< as the model will see them
  bool remind = false;                  ///< as the model will be
  std::size_t history_steps = kWholeHistory;  ///< as the model will see them
  bool reasoning = true;                ///< false = targets without a trace
  double demonstration_share = 0.7;     ///< of sequences taught with retrieval, in [0, 1]
  double action_weight = 0.3;           ///< loss on the actions of the history: a prior for the agent
  std::size_t max_tokens = 2048;        ///< of a history with a step's demonstrations; later steps are left out
  std::size_t num_threads = 1;
};

/// Step t of an episode, with the steps before it that the model will see, as a sequence of its own: what a
/// limited history (history_steps) is taught with.
TrainingSequence windowed_step_sequence(const ExperiencePrompt& prompt,
                                        const Trajectory& trajectory,
                                        std::size_t t,
                                        std::span<const Demonstration> demonstrations,
                                        bool retrieved,
                                        const ExperienceDataOptions& options);

/// The shared part before step t: the opening and the past steps within the window.
std::vector<TokenId> history_tokens(const ExperiencePrompt& prompt,
                                    const Trajectory& trajectory,
                                    std::size_t t,
                                    std::size_t history_steps,
                                    bool reasoning);

/// How long a history may be for the model to be at home in it, tokens: of the steps that are taught of these episodes,
/// nine in ten have at most this before them.
std::size_t usual_history(const ExperiencePrompt& prompt,
                            std::span<const Trajectory> trajectories,
                            const ExperienceDataOptions& options);

/// Steps of the episode before t within the window, for recollection.
std::vector<PastStep> past_steps(const Trajectory& trajectory, std::size_t t, std::size_t history_steps);

/// One episode as a sequence, whole history.
/// @param demonstrations  per step (may be shorter than the steps: none for the rest); empty = taught
///                        without retrieval.
TrainingSequence experience_sequence(const ExperiencePrompt& prompt,
                                     const Trajectory& trajectory,
                                     std::span<const std::vector<Demonstration>> demonstrations,
                                     const ExperienceDataOptions& options);

/// All episodes; steps without a reasoning trace end their sequence.
/// @param buffer  may be null if demonstration_share is 0.
std::vector<TrainingSequence> experience_sequences(const ExperiencePrompt& prompt,
                                                   const std::vector<Trajectory>& trajectories,
                                                   const ReplayBuffer* buffer,
                                                   const ExperienceDataOptions& options,
                                                   const Rng& rng);

/// Flag of a real step.
EndFlag end_flag(const Transition& step);

}  // namespace dreamgym
