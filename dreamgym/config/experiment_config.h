// Everything a run of the whole loop can be told, with the quickstart's values as defaults.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dreamgym/agent/chat_agent_prompt.h"
#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/config/dream_config.h"
#include "dreamgym/config/fields.h"
#include "dreamgym/config/replay_config.h"
#include "dreamgym/config/toml_binding.h"
#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/experience/training_data.h"
#include "dreamgym/train/dpo.h"
#include "dreamgym/train/policy_training_config.h"
#include "dreamgym/train/sft.h"

namespace dreamgym {

/// Where the offline trajectories and the tasks come from.
struct DataConfig {
  std::vector<std::string> logs;          ///< files of logged trajectories; empty = collected from the world
  std::string logs_format = "canonical";
  std::string data_folder;                ///< benchmark files of the world; "" = generated
  std::string train_split = "train";
  std::string eval_split = "valid_seen";
  std::size_t train_tasks = 1000;
  std::size_t eval_tasks = 500;
  std::size_t collect_episodes = 1000;    ///< without logs: played by scripted policies of mixed quality
  bool collect_beside_logs = false;       ///< play them even where there are logs
  std::size_t log_tasks = 0;              ///< those episodes are spread over; 0 = all training tasks
  double held_out_share = 0.08;           ///< of the offline episodes, to measure the experience model
  /// Of the offline episodes left, that the experience model learns from and the memory begins with (the paper's
  /// Fig. 5); the start policy chooses its demonstrations among all.
  double experience_share = 1;
  std::size_t demonstrations = 60;        ///< successes the start policy imitates
  std::map<std::string, std::string> world_options;  ///< e.g. receptacles = "8"
};

struct BaseConfig {
  std::string model = "models/nano";      ///< folder of the base model; "" = random weights of the preset
  std::string preset = "nano";
  std::size_t new_merges = 0;             ///< phrases of the new domain that become tokens of their own
  std::size_t name_words = 0;             ///< frequent words that become name tokens (VocabularyPlan)
};

/// The policies' model where it is not the experience model's: any pretrained one, prompted in its own
/// chat format (docs/language_models.md).
struct PolicyConfig {
  std::string model;                      ///< folder or .gguf file; "" = as base and policies_from say
  std::string chat_template;              ///< "" = the one the model's own template is
  std::string rules{kAgentRules};         ///< its system message
  bool names_actions = false;             ///< each observation ends with the admissible actions
  bool thinks = false;                    ///< it writes a thought before each action
  std::size_t max_thought_tokens = 256;   ///< of such a thought
  std::size_t lora_rank = 0;              ///< of the adapter that is trained; 0 = all weights are
  double lora_alpha = 32;
  std::vector<std::string> lora_targets = {
      "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  bool lora_rank_stabilized = false;      ///< scale alpha / sqrt(rank) instead of alpha / rank
  bool recompute = false;                 ///< keep less of a training pass, compute it again
  std::string compute = "fp32";           ///< products with weights in training: fp32 or bf16
  std::string weights = "fp32";           ///< of the copy that samples: fp32, bf16 or int8
  std::string cache = "fp32";             ///< its keys and values: fp32, bf16 or int16
};

struct CheckConfig {
  std::size_t tasks = 96;
  double max_gap = 0.15;                  ///< |dreamed - real| success
  bool force = false;                     ///< train in the dream even if the check fails
  /// While training in the dream the policy plays a probe set in dream and reality every so many iterations;
  /// its real steps are the arm's. The policy best in reality is kept, and a rise of the gap ends the training.
  /// 0 = never.
  std::size_t probe_every = 0;
  std::size_t probe_tasks = 48;
  double max_rise = 0.15;                 ///< of dreamed - real success above the first probe's
};

/// What a policy reads, in imitation, training and evaluation alike.
struct AgentConfig {
  std::size_t history_steps = kWholeEpisode;  ///< past (observation, action) pairs (AgentOptions)
};

struct EvaluationConfig {
  double temperature = 0.4;
  std::size_t fidelity_episodes = 80;     ///< held-out episodes for one-step accuracy
  std::size_t luck_replays = 4;
  double theory_discount = 0.9;           ///< of Theorem 1 while training in the dream; 0 = not evaluated
};

/// How patient rollouts in training are with their environments.
struct RolloutConfig {
  std::size_t retries = 2;                ///< of an episode whose environment failed, on a fresh one
  std::size_t environment_threads = 0;    ///< environments at work, or waited for, at once; 0 = threads
  double turn_seconds = 0;                ///< allowed for an answer; 0 = any
  double episode_seconds = 0;             ///< allowed for an episode; 0 = any
  double iteration_seconds = 0;           ///< allowed for an iteration's episodes; 0 = any
  double stall_seconds = 120;             ///< after which a wait is reported; 0 = never
};

struct ExperimentConfig {
  std::size_t seed = 1;
  std::size_t threads = 2;
  std::string world = "alfworld";         ///< "none" = no engine at all
  /// Which rows the table has: random, zero_shot, start, sft_all, dpo, traditional, dream, s2r, the last
  /// three with _ppo, traditional_equal (traditional with s2r's settings and real steps) and
  /// dream_uniform (dream without curriculum: the original tasks, each as often as the others).
  std::vector<std::string> arms = {
      "random", "start", "sft_all", "traditional", "traditional_equal", "dream", "s2r"};
  std::size_t max_steps = 30;             ///< of an episode, everywhere
  std::size_t cache_megabytes = 1024;     ///< of keys and values kept by each generation engine
  std::size_t episodes_kept = 8;          ///< logged per iteration, for the report
  double s2r_budget_share = 0.1;          ///< of the traditional arm's real steps
  /// Weights that every policy begins with: base or experience. Where a prompted model dreams: base.
  std::string policies_from = "experience";

  DataConfig data;
  BaseConfig base;
  AgentConfig agent;
  PolicyConfig policy;
  ExperienceOptions experience;
  DreamEndpointConfig dream_endpoint;
  DreamModelConfig dream_model;
  DreamFallbackConfig dream_fallback;
  ReplayConfig replay;
  ExperienceDataOptions experience_data;
  SftConfig experience_sft;
  SftConfig start_sft;
  SftConfig all_sft;
  DpoConfig dpo;
  PolicyTrainingConfig dream;
  PolicyTrainingConfig traditional;
  PolicyTrainingConfig s2r;
  PolicyTrainingConfig dream_ppo;
  PolicyTrainingConfig traditional_ppo;
  PolicyTrainingConfig s2r_ppo;
  RolloutConfig rollout;
  CurriculumConfig curriculum;
  TaskGeneratorOptions task_generator;
  CheckConfig check;
  EvaluationConfig evaluation;
};

/// A stage of policy training by its name, which is also that of its section and of its arm.
struct PolicyStage {
  const char* name;
  PolicyTrainingConfig* training;
};
std::vector<PolicyStage> policy_stages(ExperimentConfig& config);

/// Who dreams.
enum class DreamSource {
  kTrained,   ///< the experience model that the run trains
  kModel,     ///< the chat model of experience.model, prompted
  kEndpoint,  ///< the server of experience.endpoint, prompted
};
DreamSource dream_source(const ExperimentConfig& config);
/// Whether the dream is asked in prompts, so that no experience model is trained.
bool is_prompted(const ExperimentConfig& config);

/// The text in a section's file `description`; "" if none is named.
/// @param section  "experience.endpoint" or "experience.model". @throws Error kConfig if it can't be read.
std::string read_description(const std::string& section, const std::string& file);

/// RolloutConfig::environment_threads, or threads.
std::size_t environment_threads(const ExperimentConfig& config);

/// The quickstart's settings.
ExperimentConfig default_experiment();

/// Reads a TOML file (path "" = none) and --set assignments over the defaults, checks everything and
/// resolves what follows from other values (max_steps of every trainer, threads).
ExperimentConfig load_experiment(const std::string& path, const std::vector<std::string>& assignments);

/// Reads values over `config` and resolves it. @throws Error kConfig as bind() does.
void bind_experiment(ExperimentConfig& config, const ConfigValues& values);

/// The resolved configuration as TOML.
std::string experiment_toml(const ExperimentConfig& config);

}  // namespace dreamgym
