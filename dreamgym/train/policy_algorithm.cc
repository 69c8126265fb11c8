#include "dreamgym/train/policy_algorithm.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/train/grpo.h"
#include "dreamgym/train/ppo.h"

namespace dreamgym {
namespace {

void require_known(std::string_view what,
                   std::string_view name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{} '{}' is not known, expected one of {}", what, name, join(known, ", ")),
                fmt::format("the nearest is '{}'", nearest(name, known)));
  }
}

// What every algorithm starts from: GRPO.
void reset_to_grpo(PolicyTrainingConfig& config) {
  config.advantages.estimator = AdvantageEstimator::kGrpo;
  config.advantages.step_weight = 0;
  config.dynamic_sampling.enabled = false;
  config.objective.surrogate = PolicySurrogate::kClipped;
  config.objective.aggregation = LossAggregation::kTokenMean;
  config.objective.loss.clip_low = 0.2;
  config.objective.loss.clip_high = 0.2;
}

void make_ppo(PolicyTrainingConfig& config) {
  config.tasks_per_iteration *= config.group_size;
  config.group_size = 1;
  if (config.objective.loss.dual_clip == 0) {
    config.objective.loss.dual_clip = 3.0;
  }
}

struct Algorithm {
  const char* name;
  void (*apply)(PolicyTrainingConfig& config);
};

const Algorithm kAlgorithms[] = {
    {"grpo", [](PolicyTrainingConfig&) {}},
    {"dr_grpo",
     [](PolicyTrainingConfig& config) {
       config.advantages.estimator = AdvantageEstimator::kDrGrpo;
       config.objective.aggregation = LossAggregation::kTokenSumOverConstant;
     }},
    {"rloo",
     [](PolicyTrainingConfig& config) {
       config.advantages.estimator = AdvantageEstimator::kRloo;
     }},
    {"reinforce_pp",
     [](PolicyTrainingConfig& config) {
       config.advantages.estimator = AdvantageEstimator::kReinforcePp;
     }},
    {"reinforce_pp_baseline",
     [](PolicyTrainingConfig& config) {
       config.advantages.estimator = AdvantageEstimator::kReinforcePpBaseline;
     }},
    {"gigpo", [](PolicyTrainingConfig& config) { config.advantages.step_weight = 1.0; }},
    {"dapo",
     [](PolicyTrainingConfig& config) {
       config.objective.loss.clip_high = 0.28;
       config.dynamic_sampling.enabled = true;
     }},
    {"gspo",
     [](PolicyTrainingConfig& config) {
       config.objective.surrogate = PolicySurrogate::kGspo;
       config.objective.aggregation = LossAggregation::kSequenceMeanOfTokenMean;
       config.objective.loss.clip_low = 3e-4;
       config.objective.loss.clip_high = 4e-4;
     }},
    {"cispo",
     [](PolicyTrainingConfig& config) {
       config.objective.surrogate = PolicySurrogate::kCispo;
       config.objective.loss.clip_low = 1.0;
     }},
    {"ppo", make_ppo}};

}  // namespace

const std::vector<std::string>& policy_algorithm_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : kAlgorithms) {
      names.emplace_back(algorithm.name);
    }
    return names;
  }();
  return kNames;
}

void apply_algorithm(std::string_view name, PolicyTrainingConfig& config) {
  require_known("algorithm", name, policy_algorithm_names());
  reset_to_grpo(config);
  config.algorithm = name;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (name == algorithm.name) {
      algorithm.apply(config);
    }
  }
}

const std::vector<std::string>& training_preset_names() {
  static const std::vector<std::string> kNames = {"verl-agent", "dreamgym", "s2r"};
  return kNames;
}

void apply_preset(std::string_view name, std::string_view world, PolicyTrainingConfig& config) {
  require_known("preset", name, training_preset_names());
  const bool is_webshop = world == "webshop";
  const bool is_verl_agent = name == "verl-agent";
  const double rate = name == "s2r" ? 0.5 : 1.0;
  config.preset = name;
  config.iterations = 150;
  config.tasks_per_iteration = needs_critic(config) ? 128 : 16;
  config.group_size = needs_critic(config) ? 1 : 8;
  config.temperature = 1.0;
  config.history_steps = 2;
  config.mini_batch_steps = is_webshop ? 64 : 256;
  config.passes = 1;
  config.warmup_iterations = 0;
  config.optimizer = {.learning_rate = 1e-6 * rate, .weight_decay = 0.01, .max_gradient_norm = 1.0};
  config.critic.optimizer = {
      .learning_rate = 1e-5 * rate, .weight_decay = 0.01, .max_gradient_norm = 1.0};
  config.critic.value_loss = {.clip = 0.5};
  config.objective.loss.kl_coefficient = 0.01;
  config.objective.loss.kl_estimator = KlEstimator::kK3;
  config.objective.loss.dual_clip = 3.0;
  config.rewards.invalid_action_penalty = 0.1;
  config.critic.question.lowest = -1.0;  // penalties may make a return less than 0
  config.mismatch_correction = MismatchCorrection::kSequenceMasked;
  config.advantages.step_discount = 0.95;
  config.advantages.scale_steps = !is_webshop;
  config.advantages.count_every_step = is_verl_agent;
  config.advantages.keep_singletons = is_verl_agent;
  config.validate_every = 5;
  config.step_budget = name == "s2r" ? 5000 : config.step_budget;
}

bool needs_critic(const PolicyTrainingConfig& config) { return config.algorithm == "ppo"; }

std::unique_ptr<PolicyTrainer> make_policy_trainer(Policy policy,
                                                   TrainableModel* critic,
                                                   TaskCurriculum& curriculum,
                                                   Playground playground,
                                                   const PolicyTrainingConfig& config,
                                                   const Rng& rng) {
  require_known("algorithm", config.algorithm, policy_algorithm_names());
  if (!needs_critic(config)) {
    return std::make_unique<GrpoTrainer>(
        std::move(policy), curriculum, std::move(playground), config, rng);
  }
  check(critic != nullptr, "ppo has a critic");
  return std::make_unique<PpoTrainer>(
      ActorCritic{std::move(policy), *critic}, curriculum, std::move(playground), config, rng);
}

}  // namespace dreamgym
