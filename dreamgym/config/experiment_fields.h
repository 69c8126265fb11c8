// The one list of fields of every configuration struct: key, member, help, range.
#pragma once

#include "dreamgym/config/experiment_config.h"
#include "dreamgym/config/fields.h"
#include "dreamgym/config/policy_training_fields.h"

namespace dreamgym {

inline constexpr Named<PreferenceLossKind> kPreferenceLosses[] = {
    {"dpo", PreferenceLossKind::kDpo},
    {"ipo", PreferenceLossKind::kIpo},
    {"hinge", PreferenceLossKind::kHinge}};

template <class Field>
void visit_fields(DataConfig& config, Field&& field) {
  field("logs", config.logs, "files of logged trajectories; empty = collected from the world");
  field("logs_format", config.logs_format, "canonical, messages, sharegpt, agentgym, alfworld-log, webshop-log or webshop-human");
  field("data_folder", config.data_folder, "benchmark files of the world; empty = generated tasks");
  field("train_split", config.train_split, "split the agent trains on");
  field("eval_split", config.eval_split, "held-out split the agent is measured on");
  field("train_tasks", config.train_tasks, "tasks of the training split", at_least(1));
  field("eval_tasks", config.eval_tasks, "tasks of the evaluation panel; 0 = all", at_least(0));
  field("collect_episodes", config.collect_episodes, "episodes played when there are no logs", at_least(1));
  field("collect_beside_logs", config.collect_beside_logs, "play collect_episodes even where there are logs");
  field("log_tasks", config.log_tasks, "tasks those episodes are spread over; 0 = all (fewer: several episodes a task, which dpo needs)", at_least(0));
  field("held_out_share", config.held_out_share, "of the offline episodes, never trained on", between(0, 0.9));
  field("experience_share", config.experience_share, "of the offline episodes, that the experience model and its memory get", between(0.001, 1));
  field("demonstrations", config.demonstrations, "successes the start policy imitates", at_least(1));
  field("world_options", config.world_options, "world-specific");
}

template <class Field>
void visit_fields(BaseConfig& config, Field&& field) {
  field("model", config.model, "folder of the base model; empty = random weights");
  field("preset", config.preset, "shape without a base model: nano-s, nano or nano-l");
  field("new_merges", config.new_merges, "phrases of the new domain that become tokens", between(0, 4096));
  field("name_words", config.name_words, "frequent words that take name tokens, where things have no names", between(0, 4096));
}

template <class Field>
void visit_fields(PolicyConfig& config, Field&& field) {
  field("model", config.model, "of the policies, if not the base: any pretrained model, a folder or .gguf file");
  field("chat_template", config.chat_template, "its chat format; empty = recognised from its own template");
  field("rules", config.rules, "system message of every episode");
  field("names_actions", config.names_actions, "each observation it reads ends with the admissible actions");
  field("thinks", config.thinks, "it writes a thought before each action, as its chat format has thoughts");
  field("max_thought_tokens", config.max_thought_tokens, "of a thought; a longer one is closed", at_least(1));
  field("lora_rank", config.lora_rank, "train a LoRA adapter of this rank; 0 = all weights", between(0, 4096));
  field("lora_alpha", config.lora_alpha, "scale of the adapter, times 1 / rank", at_least(1e-6));
  field("lora_targets", config.lora_targets, "projections that are adapted");
  field("lora_rank_stabilized", config.lora_rank_stabilized, "scale by alpha / sqrt(rank)");
  field("recompute", config.recompute, "keep only the layers' inputs of a training pass: less memory, a third more time");
  field("compute", config.compute, "numbers that training multiplies: fp32 or bf16 (the sums and what is kept stay fp32)");
  field("weights", config.weights, "numbers of the copy that samples: fp32, bf16 or int8");
  field("cache", config.cache, "numbers of its keys and values: fp32, bf16 or int16");
}

template <class Field>
void visit_fields(SftConfig& config, Field&& field) {
  field("epochs", config.epochs, "passes over the data", at_least(0));
  field("tokens_per_update", config.tokens_per_update, "tokens of an optimiser step", at_least(64));
  field("tokens_per_micro_batch", config.tokens_per_micro_batch, "bounds memory", at_least(64));
  field("warmup_share", config.warmup_share, "of all updates", between(0, 1));
  field("final_rate_share", config.final_rate_share, "learning rate at the end / peak", between(0, 1));
  field("name_permutation", config.name_permutation, "share of sequences with permuted names", between(0, 1));
  field("checkpoint_every", config.checkpoint_every, "updates", at_least(1));
  field.section("optimizer", config.optimizer);
}

template <class Field>
void visit_fields(DpoConfig& config, Field&& field) {
  field("epochs", config.epochs, "passes over the pairs", at_least(1));
  field("pairs_per_update", config.pairs_per_update, "of an optimiser step", at_least(1));
  field("pairs_per_task", config.pairs_per_task, "at most, of a success and a failure", at_least(1));
  field("tokens_per_micro_batch", config.tokens_per_micro_batch, "bounds memory", at_least(64));
  field.choice("loss", config.loss.kind, kPreferenceLosses, "of a pair");
  field("beta", config.loss.beta, "pull to the reference", between(1e-6, 1e3));
  field("label_smoothing", config.loss.label_smoothing, "share of pairs taken to be the wrong way round", between(0, 0.499));
  field("length_normalised", config.loss.length_normalised, "means over tokens instead of sums");
  field("sft_weight", config.loss.sft_weight, "RPO: of the chosen tail's own loss", at_least(0));
  field("warmup_share", config.warmup_share, "of all updates", between(0, 1));
  field("final_rate_share", config.final_rate_share, "learning rate at the end / peak", between(0, 1));
  field("checkpoint_every", config.checkpoint_every, "updates", at_least(1));
  field.section("optimizer", config.optimizer);
}

template <class Field>
void visit_fields(RolloutConfig& config, Field&& field) {
  field("retries", config.retries, "of an episode whose environment failed, on a fresh one", between(0, 100));
  field("environment_threads", config.environment_threads, "environments at work, or waited for, at once; 0 = threads; more where they are far away", between(0, 4096));
  field("turn_seconds", config.turn_seconds, "allowed for an environment's answer; 0 = any", at_least(0));
  field("episode_seconds", config.episode_seconds, "allowed for an episode; 0 = any", at_least(0));
  field("iteration_seconds", config.iteration_seconds, "allowed for an iteration's episodes; 0 = any", at_least(0));
  field("stall_seconds", config.stall_seconds, "after which a wait is reported; 0 = never", at_least(0));
}

template <class Field>
void visit_fields(ExperienceOptions& config, Field&& field) {
  field("num_demonstrations", config.num_demonstrations, "k retrieved transitions; 0 = none", between(0, 64));
  field("max_demonstration_tokens", config.max_demonstration_tokens, "each", at_least(4));
  field("most_dreamed", config.retrieval.most_dreamed, "of those, dreamed ones; 1000000 = any, 0 = real ones only", at_least(0));
  field("alike", config.retrieval.alike, "less similar than the best by at most this: the one shown is drawn; 0 = the first", between(0, 2));
  field("diversity", config.retrieval.diversity, "weight of their not being like each other; 0 = the most similar", between(0, 0.99));
  field("num_recollections", config.num_recollections, "steps of the episode itself shown again; 0 = none", between(0, 16));
  field("remind", config.remind, "task and place stand before each query");
  field("hidden_temperature", config.hidden_temperature, "of contents nobody has seen", between(0, 5));
  field("consistency_attempts", config.consistency_attempts, "replies until one can be read and contradicts nothing shown; 1 = take the first", between(1, 64));
  field("draw_findings", config.draw_findings, "in a place nobody knows, what of the task is found is drawn first, then what is there, without demonstrations");
  field("hold_to_record", config.hold_to_record, "a contradiction is mended where it stands before the reply is asked for again");
  field("max_trace_tokens", config.max_trace_tokens, "of a reasoning trace", at_least(4));
  field("max_observation_tokens", config.max_observation_tokens, "of an observation", at_least(4));
  field("verify_success", config.verify_success, "a success counts only if wanted = reached; needs reasoning");
  field("refusal_ends", config.refusal_ends, "a refused success ends the episode, where trying ends it");
  field("want_from_task", config.want_from_task, "... and every word of wanted stands in the task");
  field("reward_by_rule", config.reward_by_rule, "the world's rule says what a dreamed end is worth, not the model");
  field("history_steps", config.history_steps, "past steps the model sees; 1000000 = all, 0 = only the present state", at_least(0));
  field("max_history_tokens", config.max_history_tokens, "of past steps, then the oldest leave; 1000000 = as many as was learnt from", at_least(64));
  field("reasoning", config.reasoning, "a trace before each state; false = the ablation without reasoning");
}

inline constexpr Named<FallbackTo> kFallbacks[] = {
    {"none", FallbackTo::kNone}, {"reality", FallbackTo::kReality}, {"endpoint", FallbackTo::kEndpoint}};

// What a prompted dream is shown, whoever is asked.
template <class Field>
void visit_shown_fields(PromptedOptions& prompt, Field& field) {
  field("history_bytes", prompt.history_bytes, "of past steps shown; the oldest go first", at_least(0));
  field("min_similarity", prompt.min_similarity, "less similar transitions are not shown", between(-1, 1));
  field("max_demonstration_bytes", prompt.max_demonstration_bytes, "each", at_least(16));
}

template <class Field>
void visit_fields(DreamEndpointConfig& config, Field&& field) {
  EndpointConfig& server = config.server;
  field("urls", server.urls, "of OpenAI-compatible servers that dream instead of a trained model; empty = none");
  field("model", server.model, "name the servers know the model by");
  field("key_variable", server.api_key_variable, "environment variable with the key; empty = none is sent");
  field("structured", config.structured, "how JSON is asked for: schema, object or none");
  field("logprobs", config.logprobs, "ask for log-probabilities: they are the confidence");
  field("description", config.description, "text file: what the tool is and does");
  visit_shown_fields(config.prompt, field);
  field("max_reply_tokens", config.prompt.max_reply_tokens, "of an answer", at_least(16));
  field("temperature", config.prompt.temperature, "of an answer", between(0, 5));
  field("concurrency", server.concurrency, "requests under way at once", between(1, 4096));
  field("timeout_seconds", server.timeout_seconds, "of an attempt", between(0.001, 1e5));
  field("deadline_seconds", server.deadline_seconds, "of a request with all its attempts", between(0.001, 1e5));
  field("max_attempts", server.max_attempts, "of a request", between(1, 1000));
  field("first_backoff_seconds", server.first_backoff_seconds, "before the second attempt", between(0, 1e5));
}

template <class Field>
void visit_fields(DreamModelConfig& config, Field&& field) {
  field("path", config.path, "of a pretrained chat model that dreams instead of a trained one: folder or .gguf file; empty = none");
  field("chat_template", config.chat_template, "its chat format; empty = recognised from its own template");
  field("description", config.description, "text file: what the tool is and does");
  field("weights", config.weights, "numbers it computes with, the trained one's too: fp32, bf16 or int8");
  field("cache", config.cache, "numbers of its keys and values, the trained one's too: fp32, bf16 or int16");
  visit_shown_fields(config.prompt, field);
  field("max_reply_tokens", config.prompt.max_reply_tokens, "of an answer, which is then brought to its end", at_least(16));
  field("max_field_characters", config.prompt.max_field_characters, "of each text of a reasoning trace", between(1, 4000));
  field("max_state_characters", config.prompt.max_state_characters, "of the next state", between(1, 4000));
  field("temperature", config.prompt.temperature, "of an answer", between(0, 5));
}

template <class Field>
void visit_fields(DreamFallbackConfig& config, Field&& field) {
  field.choice("ask", config.ask, kFallbacks, "who is asked where the dream is unsure");
  field("below", config.options.below, "confidence that is unsure", between(0, 1));
  field("ask_about_hidden", config.options.ask_about_hidden, "also about contents nobody has seen");
  field("most_confident", config.options.most_confident, "a mixture: the answer counts only if it is the more confident one");
  field("budget", config.budget, "real steps or questions, of each stage that dreams", at_least(0));
}

inline constexpr Named<EmbedderKind> kEmbedders[] = {{"hashed", EmbedderKind::kHashedNgrams},
                                                    {"encoder", EmbedderKind::kEncoder},
                                                    {"endpoint", EmbedderKind::kEndpoint}};
inline constexpr Named<IndexKind> kIndexKinds[] = {
    {"exact", IndexKind::kExact}, {"hnsw", IndexKind::kHnsw}, {"ivf", IndexKind::kIvf}};
inline constexpr Named<ExperienceStore::Eviction> kEvictions[] = {
    {"oldest", ExperienceStore::Eviction::kOldest}, {"reservoir", ExperienceStore::Eviction::kReservoir}};

template <class Field>
void visit_fields(ReplayConfig& config, Field&& field) {
  field.choice("embedder", config.embedder, kEmbedders, "by what transitions are similar");
  field("encoder", config.encoder, "folder of a BERT-like sentence encoder, for embedder = encoder");
  field("urls", config.server.urls, "of servers with /embeddings, for embedder = endpoint");
  field("model", config.server.model, "name the servers know the model by");
  field("key_variable", config.server.api_key_variable, "environment variable with the key; empty = none is sent");
  field("action_share", config.action_share, "of the action in a key; the state has the rest", between(0, 1));
  field.choice("index", config.index, kIndexKinds, "exact, or approximate for hundreds of thousands of transitions");
  field("dreamed_capacity", config.dreamed_capacity, "dreamed transitions kept at most", at_least(0));
  field.choice("eviction", config.eviction, kEvictions, "which dreamed ones make room");
}

template <class Field>
void visit_fields(ExperienceDataOptions& config, Field&& field) {
  field("demonstration_share", config.demonstration_share, "of sequences taught with retrieval", between(0, 1));
  field("action_weight", config.action_weight, "loss on the history's actions", between(0, 10));
  field("max_tokens", config.max_tokens, "of a history", at_least(64));
}

template <class Field>
void visit_fields(CurriculumConfig& config, Field&& field) {
  std::string choice(task_choice_name(config.choice));
  field("choice", choice, "how original tasks are drawn: value, uniform, hardest, replay or alpha");
  config.choice = task_choice_named(choice);
  field("generated_share", config.generated_share, "lambda: share of generated tasks", between(0, 1));
  field("seeds_per_iteration", config.seeds_per_iteration, "tasks varied each iteration", at_least(1));
  field("max_generated", config.max_generated, "pool of variations", at_least(1));
  field("value_bias", config.value_bias, "0 = uniform, 1 = by value", between(0, 1));
  field("forgetting", config.forgetting, "of earlier outcomes", between(0.01, 1));
  field("cluster_similarity", config.cluster_similarity, "of ppo: tasks as alike as this share a group; 0 = each for itself", between(0, 1));
}

template <class Field>
void visit_fields(TaskGeneratorOptions& config, Field&& field) {
  field("proposals_per_seed", config.proposals_per_seed, "variations asked for, of the trained model", at_least(1));
  field("candidates", config.candidates, "variations a prompted model writes for each seed, of which it chooses one", between(1, 64));
  field("temperature", config.temperature, "of proposals", between(0, 5));
  field("max_task_tokens", config.max_task_tokens, "of an instruction", at_least(4));
}

template <class Field>
void visit_fields(CheckConfig& config, Field&& field) {
  field("tasks", config.tasks, "played in the dream and in reality before training", at_least(2));
  field("max_gap", config.max_gap, "allowed |dreamed - real| success", between(0, 1));
  field("force", config.force, "train even if the check fails");
  field("probe_every", config.probe_every, "iterations between probes in dream and reality (real steps!); 0 = none", at_least(0));
  field("probe_tasks", config.probe_tasks, "of a probe", at_least(2));
  field("max_rise", config.max_rise, "of the dream's lead before it is an alarm; at probes it ends the training", between(0.01, 1));
}

template <class Field>
void visit_fields(AgentConfig& config, Field&& field) {
  field("history_steps", config.history_steps, "past (observation, action) pairs the policy reads; 1000000 = the whole episode", at_least(0));
}

template <class Field>
void visit_fields(EvaluationConfig& config, Field&& field) {
  field("temperature", config.temperature, "of the agent's actions", between(0, 10));
  field("fidelity_episodes", config.fidelity_episodes, "held-out episodes", at_least(0));
  field("luck_replays", config.luck_replays, "replays per dreamed episode", at_least(2));
  field("theory_discount", config.theory_discount, "of Theorem 1 in the dream's evaluations; 0 = not evaluated", between(0, 0.9999));
}

template <class Field>
void visit_fields(ExperimentConfig& config, Field&& field) {
  field("seed", config.seed, "of everything");
  field("threads", config.threads, "results do not depend on it", between(1, 1024));
  field("world", config.world, "catalogue name, or none");
  field("arms", config.arms, "rows of the table");
  field("max_steps", config.max_steps, "of an episode", at_least(1));
  field("cache_megabytes", config.cache_megabytes, "of each generation engine", at_least(1));
  field("episodes_kept", config.episodes_kept, "logged per iteration", at_least(0));
  field("s2r_budget_share", config.s2r_budget_share, "of traditional RL's real steps", between(0, 1));
  field("policies_from", config.policies_from, "weights that every policy begins with: base or experience");
  field.section("data", config.data);
  field.section("base", config.base);
  field.section("agent", config.agent);
  field.section("policy", config.policy);
  field.section("experience", config.experience);
  field.section("experience.endpoint", config.dream_endpoint);
  field.section("experience.model", config.dream_model);
  field.section("experience.fallback", config.dream_fallback);
  field.section("replay", config.replay);
  field.section("experience_data", config.experience_data);
  field.section("experience_sft", config.experience_sft);
  field.section("start_sft", config.start_sft);
  field.section("all_sft", config.all_sft);
  field.section("dpo", config.dpo);
  for (PolicyStage& stage : policy_stages(config)) {
    field.section(stage.name, *stage.training);
  }
  field.section("rollout", config.rollout);
  field.section("curriculum", config.curriculum);
  field.section("task_generator", config.task_generator);
  field.section("check", config.check);
  field.section("evaluation", config.evaluation);
}

}  // namespace dreamgym
