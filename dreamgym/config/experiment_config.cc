#include "dreamgym/config/experiment_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/config/experiment_fields.h"
#include "dreamgym/config/toml_binding.h"
#include "dreamgym/llm/endpoint/openai_api.h"
#include "dreamgym/train/policy_algorithm.h"

namespace dreamgym {
namespace {

const std::vector<std::string> kArms = {
    "random", "zero_shot", "start", "sft_all", "dpo", "traditional", "traditional_equal",
    "dream", "dream_uniform", "s2r", "traditional_ppo", "dream_ppo", "s2r_ppo"};

// What a stage's names stand for comes before everything set key by key.
void apply_names(ExperimentConfig& config, const ConfigValues& values) {
  const auto given = [&](const std::string& key) {
    const auto* value = values.find(key);
    return value != nullptr ? value->text : std::string();
  };
  const std::string world = given("world").empty() ? config.world : given("world");
  for (const PolicyStage& stage : policy_stages(config)) {
    const std::string name = stage.name;
    if (const std::string preset = given(name + ".preset"); !preset.empty()) {
      apply_preset(preset, world, *stage.training);
      config.agent.history_steps = stage.training->history_steps;
      if (preset == "dreamgym") {  // the dream around the policy
        config.experience.num_demonstrations = 5;
        config.experience.hidden_temperature = 0;
        config.curriculum.generated_share = 0.3;
      }
    }
    if (const std::string algorithm = given(name + ".algorithm"); !algorithm.empty()) {
      apply_algorithm(algorithm, *stage.training);
    }
  }
}

// What goes with a dream that is not trained.
void apply_prompted(ExperimentConfig& config, const ConfigValues& values) {
  const auto given = [&](const char* key) {
    const auto* value = values.find(key);
    return value != nullptr && !value->text.empty() && value->text != "[]";
  };
  const auto* ask = values.find("experience.fallback.ask");
  const bool endpoint = given("experience.endpoint.urls") && (ask == nullptr || ask->text != "endpoint");
  const bool model = given("experience.model.path");
  if (!endpoint && !model) {
    return;
  }
  config.policies_from = "base";  // there are no other weights
  config.experience.num_demonstrations =
      (model ? config.dream_model.prompt : config.dream_endpoint.prompt).num_demonstrations;
}

void require_one_of(const char* key, const std::string& given, const std::vector<std::string>& known) {
  if (std::ranges::find(known, given) == known.end()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: got '{}', expected one of {}", key, given, join(known, ", ")));
  }
}

void require_valid(const DreamModelConfig& model) {
  require_one_of("experience.model.weights", model.weights, {"fp32", "bf16", "int8"});
  require_one_of("experience.model.cache", model.cache, {"fp32", "bf16", "int16"});
  if (!model.chat_template.empty()) {
    (void)chat_template_named(model.chat_template);
  }
}

void require_valid_dream(const ExperimentConfig& config) {
  const DreamEndpointConfig& endpoint = config.dream_endpoint;
  const bool has_server = !endpoint.server.urls.empty();
  const FallbackTo ask = config.dream_fallback.ask;
  if (has_server && ask != FallbackTo::kEndpoint && !config.dream_model.path.empty()) {
    throw Error(ErrorKind::kConfig,
                "experience.endpoint.urls and experience.model.path are both set, and only one can dream",
                "leave one out, or let the model dream and ask the server where it is unsure: "
                "experience.fallback.ask = \"endpoint\"");
  }
  if (has_server && endpoint.server.model.empty()) {
    throw Error(ErrorKind::kConfig,
                "experience.endpoint.model is empty: the server must be told which model to ask",
                "GET " + endpoint.server.urls.front() + "/models lists what it has");
  }
  (void)structured_output_named(endpoint.structured);
  const bool endpoint_dreams = dream_source(config) == DreamSource::kEndpoint;
  const char* const dreamer = endpoint_dreams ? "experience.endpoint" : "experience.model";
  if (is_prompted(config) && config.policies_from == "experience") {
    throw Error(ErrorKind::kConfig,
                fmt::format("policies_from = \"experience\": {} dreams, so no experience model is trained", dreamer),
                "set policies_from = \"base\" or leave it out");
  }
  if (is_prompted(config) && config.experience.reward_by_rule) {
    throw Error(ErrorKind::kConfig,
                fmt::format("experience.reward_by_rule is of the experience model a run trains, and here {} dreams",
                            dreamer),
                "leave it out: a prompted dream's success counts only if its wanted and got are equal");
  }
  if (ask == FallbackTo::kEndpoint && !has_server) {
    throw Error(ErrorKind::kConfig, "experience.fallback.ask = \"endpoint\" needs experience.endpoint.urls");
  }
  if (ask == FallbackTo::kReality && config.world == "none") {
    throw Error(ErrorKind::kConfig, "experience.fallback.ask = \"reality\": world = \"none\" has no engine to ask");
  }
  if (ask != FallbackTo::kNone && endpoint_dreams && !endpoint.logprobs) {
    throw Error(ErrorKind::kConfig,
                "experience.fallback needs a confidence, and the endpoint is not asked for log-probabilities",
                "set experience.endpoint.logprobs = true (the server must have them)");
  }
  if (ask == FallbackTo::kEndpoint && config.dream_fallback.options.most_confident && !endpoint.logprobs) {
    throw Error(ErrorKind::kConfig,
                "experience.fallback.most_confident compares confidences, and the endpoint is not asked for "
                "log-probabilities",
                "set experience.endpoint.logprobs = true (the server must have them)");
  }
}

void require_valid_replay(const ReplayConfig& config) {
  if (config.embedder == EmbedderKind::kEncoder && config.encoder.empty()) {
    throw Error(ErrorKind::kConfig,
                "replay.embedder = \"encoder\" needs replay.encoder: the folder of a sentence encoder",
                "tools/fetch_models.sh gets MiniLM");
  }
  if (config.embedder == EmbedderKind::kEndpoint && (config.server.urls.empty() || config.server.model.empty())) {
    throw Error(ErrorKind::kConfig, "replay.embedder = \"endpoint\" needs replay.urls and replay.model");
  }
}

void require_valid(const PolicyStage& stage) {
  const PolicyTrainingConfig& training = *stage.training;
  if (training.group_size < 2 && !needs_critic(training) &&
      compares_within_groups(training.advantages.estimator)) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}.group_size: got {}, expected at least 2 for algorithm \"{}\"",
                            stage.name,
                            training.group_size,
                            training.algorithm),
                "it compares the episodes of one task with each other; ppo and reinforce_pp don't");
  }
  if (training.guards.spike_ratio > 0 && training.guards.spike_ratio <= 1) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}.guards.spike_ratio: got {}, expected 0 or a number above 1",
                            stage.name,
                            training.guards.spike_ratio),
                "10 leaves out gradients ten times as long as usual; 0 turns it off");
  }
  if (training.overlap && training.mismatch_correction == MismatchCorrection::kNone) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}.overlap needs a mismatch_correction: the episodes come from the "
                            "policy before the last update",
                            stage.name),
                fmt::format("set {}.mismatch_correction = \"token-truncated\"", stage.name));
  }
  if (training.dream_share > 0 && std::string_view(stage.name).starts_with("dream")) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}.dream_share: this stage is played in the dream altogether", stage.name),
                "it mixes dreamed groups into stages in reality: s2r, traditional");
  }
}

void require_valid(const PolicyConfig& policy) {
  require_one_of("policy.compute", policy.compute, {"fp32", "bf16"});
  require_one_of("policy.weights", policy.weights, {"fp32", "bf16", "int8"});
  require_one_of("policy.cache", policy.cache, {"fp32", "bf16", "int16"});
  if (!policy.chat_template.empty()) {
    (void)chat_template_named(policy.chat_template);
  }
  if (policy.names_actions && policy.model.empty()) {
    throw Error(ErrorKind::kConfig,
                "policy.names_actions is of a pretrained policy, and policy.model is empty",
                "our own models are held to the admissible actions without reading them: leave it out");
  }
  if (policy.thinks && policy.model.empty()) {
    throw Error(ErrorKind::kConfig,
                "policy.thinks is of a pretrained policy, and policy.model is empty",
                "our own models have not learnt to think: leave it out, or name a model");
  }
  if (policy.lora_rank > 0 && policy.lora_targets.empty()) {
    throw Error(ErrorKind::kConfig,
                "policy.lora_targets is empty: an adapter of nothing learns nothing",
                "name projections such as q_proj and v_proj, or set policy.lora_rank = 0");
  }
}

// A tool of one's own: the logs come from the houses that the agent will work in, the tasks are new.
const std::map<std::string, std::string> kQuickstartHouses = {
    {"receptacles", "8"}, {"houses", "24"}, {"tasks_per_house", "42"}, {"text", "compact"}};

void resolve(ExperimentConfig& config) {
  if (config.world == "alfworld" && config.data.data_folder.empty()) {
    config.data.world_options.insert(kQuickstartHouses.begin(), kQuickstartHouses.end());
  }
  for (const PolicyStage& stage : policy_stages(config)) {
    stage.training->max_steps = config.max_steps;
    stage.training->history_steps = config.agent.history_steps;
    require_valid(stage);
  }
  config.experience.num_threads = config.threads;
  config.experience_data.num_threads = config.threads;
  config.experience_data.num_demonstrations = config.experience.num_demonstrations;
  config.experience_data.diversity = config.experience.retrieval.diversity;
  config.experience_data.num_recollections = config.experience.num_recollections;
  config.experience_data.remind = config.experience.remind;
  config.experience_data.history_steps = config.experience.history_steps;
  config.experience_data.reasoning = config.experience.reasoning;
  if (!config.experience.reasoning && config.experience.verify_success) {
    throw Error(ErrorKind::kConfig,
                "experience.verify_success needs experience.reasoning: without a trace nothing says what was wanted",
                "set experience.verify_success = false as well");
  }
  for (const std::string& arm : config.arms) {
    if (std::find(kArms.begin(), kArms.end(), arm) == kArms.end()) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("arms: unknown arm '{}'", arm),
                  fmt::format("the nearest is '{}'; known: {}", nearest(arm, kArms), join(kArms, ", ")));
    }
  }
  if (config.agent.history_steps < kWholeEpisode &&
      std::find(config.arms.begin(), config.arms.end(), "dpo") != config.arms.end()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("arms: dpo compares whole episodes, and agent.history_steps is {}",
                            config.agent.history_steps),
                "leave the arm out, or set agent.history_steps = 1000000 (a preset sets 2)");
  }
  require_valid_dream(config);
  require_valid(config.dream_model);
  require_valid_replay(config.replay);
  if (config.policy.thinks && config.policy.rules == kAgentRules) {
    config.policy.rules = kThinkingAgentRules;
  }
  require_valid(config.policy);
  if (config.policies_from != "base" && config.policies_from != "experience") {
    throw Error(ErrorKind::kConfig,
                fmt::format("policies_from: got '{}', expected base or experience", config.policies_from),
                "base: as the paper; experience: the weights that have read the domain's logs");
  }
  if (config.world == "none" && config.data.logs.empty()) {
    throw Error(ErrorKind::kConfig,
                "world = \"none\" needs data.logs: without an engine there is nothing else to learn from",
                "import your logs with `dreamgym import` and name the file in data.logs");
  }
  if (config.world == "none" && config.data.collect_beside_logs) {
    throw Error(ErrorKind::kConfig,
                "data.collect_beside_logs: world = \"none\" has no engine to collect episodes from",
                "leave it out, or name the world");
  }
}

}  // namespace

std::vector<PolicyStage> policy_stages(ExperimentConfig& config) {
  return {{"dream", &config.dream},
          {"traditional", &config.traditional},
          {"s2r", &config.s2r},
          {"dream_ppo", &config.dream_ppo},
          {"traditional_ppo", &config.traditional_ppo},
          {"s2r_ppo", &config.s2r_ppo}};
}

DreamSource dream_source(const ExperimentConfig& config) {
  if (!config.dream_model.path.empty()) {
    return DreamSource::kModel;
  }
  const bool has_server = !config.dream_endpoint.server.urls.empty();
  return has_server && config.dream_fallback.ask != FallbackTo::kEndpoint ? DreamSource::kEndpoint
                                                                          : DreamSource::kTrained;
}

bool is_prompted(const ExperimentConfig& config) { return dream_source(config) != DreamSource::kTrained; }

std::string read_description(const std::string& section, const std::string& file) {
  if (file.empty()) {
    return "";
  }
  try {
    return std::string(trim(read_file(file)));
  } catch (const Error& error) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}.description: {}", section, error.what()),
                "name a text file that says what the tool is and does, or leave the key out");
  }
}

ExperimentConfig default_experiment() {
  ExperimentConfig config;
  config.experience_sft.epochs = 2.5;
  config.experience_sft.optimizer = {.kind = OptimizerKind::kMuon,
                                     .learning_rate = 1e-3,
                                     .muon_learning_rate = 0.01};
  config.experience_sft.name_permutation = 0.5;
  config.start_sft.epochs = 8;
  config.start_sft.tokens_per_update = 2500;
  config.start_sft.tokens_per_micro_batch = 1024;
  config.start_sft.optimizer = {.learning_rate = 1e-3, .weight_decay = 0.1};
  config.all_sft = config.start_sft;
  config.all_sft.epochs = 2;
  config.all_sft.tokens_per_update = 4096;
  // Measured in reality (docs/results.md): small batches are too noisy for a model of this size, step
  // advantages and a second pass make more of the same episodes.
  config.dream.iterations = 18;
  config.dream.tasks_per_iteration = 24;
  config.dream.mini_batches = 4;
  config.dream.passes = 2;
  config.dream.warmup_iterations = 2;
  apply_algorithm("gigpo", config.dream);
  config.dream.optimizer.learning_rate = 4e-4;
  config.dream.validate_every = 0;  // 48 dreamed tasks can't tell two policies apart
  config.curriculum.value_bias = 0;
  config.traditional = config.dream;
  config.traditional.iterations = 1000;  // the step budget ends it
  config.traditional.optimizer.learning_rate = 2e-4;  // better than 4e-4 on three seeds of eight iterations
  config.s2r = config.traditional;
  // Few real steps: more updates of fewer groups, each small, since a fresh AdamW moves every weight by
  // about the learning rate whatever the gradient's size.
  config.s2r.tasks_per_iteration = 4;
  config.s2r.mini_batches = 1;
  config.s2r.passes = 1;
  config.s2r.warmup_iterations = 0;
  config.s2r.optimizer.learning_rate = 1e-4;
  config.dpo.epochs = 3;
  config.dream_ppo = config.dream;
  config.traditional_ppo = config.traditional;
  config.s2r_ppo = config.s2r;
  for (PolicyTrainingConfig* ppo : {&config.dream_ppo, &config.traditional_ppo, &config.s2r_ppo}) {
    apply_algorithm("ppo", *ppo);  // as many episodes an iteration, no group
    ppo->critic.two_level = true;  // discounting by turns: 76 against 70% of rollouts after nine iterations
  }
  config.traditional_ppo.critic.warmup_iterations = 1;  // its budget holds about six iterations
  config.s2r_ppo.critic.warmup_iterations = 0;  // its critic comes from the dream
  return config;
}

ExperimentConfig load_experiment(const std::string& path,
                                 const std::vector<std::string>& assignments) {
  ConfigValues values =
      path.empty() ? ConfigValues::from_text("", "defaults") : ConfigValues::from_file(path);
  for (const std::string& assignment : assignments) {
    values.set(assignment);
  }
  ExperimentConfig config = default_experiment();
  bind_experiment(config, values);
  return config;
}

void bind_experiment(ExperimentConfig& config, const ConfigValues& values) {
  apply_names(config, values);
  apply_prompted(config, values);
  bind(config, values);
  resolve(config);
}

std::size_t environment_threads(const ExperimentConfig& config) {
  return config.rollout.environment_threads > 0 ? config.rollout.environment_threads : config.threads;
}

std::string experiment_toml(const ExperimentConfig& config) { return to_toml(config); }

}  // namespace dreamgym
