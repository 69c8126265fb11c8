// A policy's model of any family we run, with how its agent reads and writes an episode.
//
// Our own models speak in markers; pretrained ones in their chat format. What a policy was trained
// with beyond the model itself stands in agent.json beside it, so that it is played as it learnt.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/apps/adapted_weights.h"
#include "dreamgym/apps/model_folder.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {

/// How a pretrained model is talked to; nothing to our own.
struct AgentChat {
  std::string chat_template;  ///< "" = the one its own template is
  std::string rules{kAgentRules};
  bool names_actions = false;  ///< it reads the admissible actions with each observation
  std::size_t max_thought_tokens = 0;  ///< of the thought it writes before each action; 0 = it does not think
  bool operator==(const AgentChat&) const = default;
};

/// As section policy says.
AgentChat chat_of(const PolicyConfig& config);

struct PolicyModel {
  AdaptedWeights model;
  ModelLanguage language;
  AgentChat chat;
  std::shared_ptr<const TurnPrompt> prompt;
};

/// @param model  a folder, or a .gguf file.
/// @param chat   nothing = as agent.json beside the model says, or the defaults.
/// @throws Error as load_pretrained_model(); kUnsupported for a chat format that does not only
///         append, and for a model without a tokenizer.
PolicyModel load_policy(const Path& model, const std::optional<AgentChat>& chat = std::nullopt);

/// One of our own models as a policy.
PolicyModel policy_of(const ModelFiles& model);

/// The merged weights of a policy that was trained from `start`; its adapter, if there is one, also by
/// itself (adapted_weights.h). There whole or not at all.
void save_policy(const TrainableModel& trained,
                 const PolicyModel& start,
                 const std::string& version,
                 const Path& folder);
void save_policy(const PolicyModel& policy, const Path& folder);

/// The policy as a stage begins with it: frozen_base() of its weights.
PolicyModel ready_to_train(PolicyModel policy, const PolicyConfig& config);

/// To be trained as the configuration says: all weights, the adapter the policy has, or a fresh one.
/// @param policy  as ready_to_train() left it.
/// @throws Error kUnsupported where the machine can't compute in its numbers.
TrainableModel trainable_policy(const PolicyModel& policy,
                                const PolicyConfig& config,
                                std::uint64_t seed,
                                std::size_t threads);

}  // namespace dreamgym
