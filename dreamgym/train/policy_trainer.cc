#include "dreamgym/train/policy_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/mismatch_correction.h"
#include "dreamgym/train/policy_progress.h"

namespace dreamgym {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

void require_valid(const PolicyTrainingConfig& config) {
  const auto at_least_one = [](std::size_t value, const char* what) {
    internal::require_between(static_cast<double>(value), 1, kMost, what);
  };
  at_least_one(config.tasks_per_iteration, "tasks_per_iteration");
  at_least_one(config.group_size, "group_size");
  at_least_one(config.max_steps, "max_steps");
  at_least_one(config.passes, "passes");
  at_least_one(config.mini_batches, "mini_batches");
  at_least_one(config.checkpoint_every, "checkpoint_every");
  internal::require_between(config.rewards.invalid_action_penalty, 0, kMost, "invalid_action_penalty");
  if (config.dynamic_sampling.enabled && config.group_size < 2) {
    throw Error(ErrorKind::kInvalidArgument,
                "dynamic sampling with groups of one episode: no group would ever be kept",
                "raise group_size to 2 or more, or turn dynamic_sampling off");
  }
}

// The constant of Dr.GRPO where none was given: choices an optimiser step could hold.
PolicyTrainingConfig resolved(PolicyTrainingConfig config) {
  double& constant = config.objective.aggregation_constant;
  if (constant == 0) {
    constant = static_cast<double>(config.tasks_per_iteration * config.group_size *
                                   config.max_steps) /
               static_cast<double>(config.mini_batches);
  }
  return config;
}

bool has_reference(const PolicyTrainingConfig& config) {
  return config.objective.loss.kl_coefficient > 0;
}

}  // namespace

PolicyTrainer::PolicyTrainer(Policy policy,
                             TaskCurriculum& curriculum,
                             Playground playground,
                             const PolicyTrainingConfig& config,
                             const Rng& rng)
    : policy_(policy),
      config_(resolved(config)),
      rng_(rng),
      guards_(config.guards),
      curriculum_(curriculum),
      player_(std::move(policy), curriculum, std::move(playground), config, rng) {
  require_valid(config);
  report_.kl_coefficient = config.objective.loss.kl_coefficient;
}

PolicyReport PolicyTrainer::run(const std::string& phase) {
  phase_ = phase;
  curriculum_state_ = curriculum_.save();
  if (!resume()) {
    if (has_reference(config_)) {
      take_reference(trained_bytes(policy_.model));
    }
    publish(version());
    remember_calm_policy();
    keep_best();
    if (checkpoints) {
      save();
    }
  }
  // A budget of steps ends the training long before `iterations`, which is then only a bound.
  const bool by_steps = config_.step_budget > 0;
  const auto done = [&] { return by_steps ? report_.environment_steps : report_.iterations; };
  if (progress != nullptr) {
    progress->begin(phase_,
                    by_steps ? config_.step_budget : config_.iterations,
                    by_steps ? "steps" : "iterations");
    progress->resume(done());
  }
  if (progress != nullptr && player_.groups_that_fit(report_.environment_steps) == 0) {
    progress->note(fmt::format(
        "{}: no training: {} of {} budgeted steps are taken, and a group of {} episodes may need {}",
        phase_,
        report_.environment_steps,
        config_.step_budget,
        config_.group_size,
        config_.group_size * config_.max_steps));
  }
  std::future<PlayedIteration> ahead;  // the next iteration, if it is played already
  times_ = {};
  mark_ = clock_.now();
  while ((ahead.valid() || more_to_play(report_.iterations)) && !stopped()) {
    iterate(ahead);
    if (progress != nullptr) {
      progress->advance(done(), remark());
    }
  }
  keep_policy();
  report_.guards = guards_.counts();
  report_.stopped_by = guards_.stop_reason();
  report_.guard_remarks = guards_.remarks();
  if (progress != nullptr) {
    for (const std::string& remark : report_.guard_remarks) {
      progress->note("guard: " + remark);
    }
    progress->end(best_weights_.empty() && report_.stopped_by == StopReason::kNone
                      ? fmt::format("{} iterations, the last policy kept", report_.iterations)
                      : fmt::format("kept iteration {}", report_.best_iteration));
  }
  return report_;
}

bool PolicyTrainer::stopped() const {
  return guards_.stop_reason() != StopReason::kNone ||
         (listener != nullptr && listener->wants_stop());
}

void PolicyTrainer::iterate(std::future<PlayedIteration>& ahead) {
  metrics_.clear();
  guards_.begin_iteration();
  const PlayedIteration played =
      ahead.valid() ? ahead.get() : player_.play(report_.iterations, report_.environment_steps);
  take(played);
  curriculum_state_ = curriculum_.save();
  if (config_.overlap && more_to_play(report_.iterations + 1)) {
    ahead = std::async(std::launch::async,
                       [this, iteration = report_.iterations + 1, steps = report_.environment_steps] {
                         return player_.play(iteration, steps);
                       });
  }
  const auto start = clock_.now();
  learn(played.episodes);
  if (!metrics_.contains("train/mismatch_kl_nats")) {
    compare_with_sampler(played.episodes);
  }
  follow_kl_target(played.episodes.size());
  times_.update = seconds_since(clock_, start);
  if (ahead.valid()) {
    ahead.wait();  // engine, curriculum and buffer are this thread's again
  }
  ++report_.iterations;
  watch();
  measure_theory(played.episodes);
  record_pools();
  publish(version());
  keep_best();
  if (listener != nullptr) {
    listener->on_iteration(report_.iterations, played.episodes, metrics_);
  }
  times_.wall = seconds_since(clock_, mark_) - times_.validation;
  mark_ = clock_.now();
  report_.times += times_;
  if (listener != nullptr) {
    listener->on_times(report_.iterations, metrics_of(times_));
  }
  times_ = {};
  if (checkpoints && report_.iterations % config_.checkpoint_every == 0) {
    save();
  }
}

void PolicyTrainer::watch() {
  const auto reading = [&](const char* name) {
    const auto found = metrics_.find(name);
    return found == metrics_.end() ? std::nullopt : std::optional(found->second);
  };
  guards_.observe(reading("train/kl_to_old_nats"),
                  reading("train/entropy_nats"),
                  reading("rollout/success_share").value_or(0.0));
  if (guards_.num_alarms() == 0) {
    remember_calm_policy();
  }
  const auto of_guards = guards_.metrics();
  metrics_.insert(of_guards.begin(), of_guards.end());
}

void PolicyTrainer::remember_calm_policy() {
  if (config_.guards.patience > 0) {
    calm_weights_ = trained_bytes(policy_.model);
    report_.calm_iteration = report_.iterations;
  }
}

void PolicyTrainer::measure_theory(const std::vector<Episode>& episodes) {
  const bool last = !more_to_play(report_.iterations) || stopped();
  if (!theory_discount || !(validation_due() || last)) {
    return;
  }
  const auto start = clock_.now();
  const PolicyProgress moved = measure_progress(
      policy_.model, episodes, *theory_discount, config_.tokens_per_micro_batch);
  times_.validation += seconds_since(clock_, start);
  metrics_["theory/surrogate_advantage"] = moved.surrogate_advantage;
  metrics_["theory/divergence_nats"] = moved.divergence;
}

// The best validated policy; else, where the guards ended it, the last one before their alarms.
void PolicyTrainer::keep_policy() {
  if (best_weights_.empty() && guards_.stop_reason() != StopReason::kNone) {
    best_weights_ = calm_weights_;
    report_.best_iteration = report_.calm_iteration;
  }
  if (!best_weights_.empty()) {
    set_trained_bytes(policy_.model, best_weights_);
    publish(fmt::format("{}-{}", phase_, report_.best_iteration));
  }
}

bool PolicyTrainer::more_to_play(std::size_t iteration) const {
  return iteration < config_.iterations && player_.groups_that_fit(report_.environment_steps) > 0;
}

void PolicyTrainer::take(const PlayedIteration& played) {
  report_.environment_steps += played.steps;
  report_.second_steps += played.second_steps;
  report_.episodes += played.num_played;
  report_.failed_attempts += played.cost.failed_attempts;
  report_.lost_episodes += played.cost.lost_episodes;
  report_.sampled_tokens += played.cost.sampled_tokens;
  report_.environment_seconds += played.cost.environment_seconds;
  report_.agent_seconds += played.cost.agent_seconds;
  times_.generation = played.cost.generation_seconds + played.inside.generation;
  times_.retrieval = played.inside.retrieval;
  times_.environment = std::max(
      0.0, played.cost.environment_seconds - played.inside.generation - played.inside.retrieval);
  num_groups_ = played.num_groups;
  metrics_.insert(played.metrics.begin(), played.metrics.end());
  if (progress != nullptr && played.cost.lost_episodes > 0) {
    const auto [task, count] = most_lost(played.cost);
    progress->note(fmt::format("{} episode(s) of iteration {} are left out, {} of them of task \"{}\": {}",
                               played.cost.lost_episodes,
                               report_.iterations + 1,
                               count,
                               task,
                               played.cost.first_failure));
  }
}

std::vector<EpisodeRewards> PolicyTrainer::rewards_of(const std::vector<Episode>& episodes) {
  std::vector<std::vector<double>> penalties(episodes.size());
  if (config_.kl.in_reward && reference_) {
    std::vector<const Episode*> pointers;
    for (const Episode& episode : episodes) {
      pointers.push_back(&episode);
    }
    const auto reference =
        score_episodes(*reference_, pointers, config_.tokens_per_micro_batch);
    const PolicyLossConfig& loss = config_.objective.loss;
    const KlConfig kl = {.estimator = loss.kl_estimator,
                         .straight_through = loss.kl_straight_through,
                         .max_log_ratio = loss.max_log_ratio,
                         .max_kl = loss.max_kl};
    double sum = 0;
    double tokens = 0;
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      const std::vector<double> sampled = sampled_logprobs(episodes[e]);
      for (std::size_t t = 0; t < sampled.size(); ++t) {
        const double value = kl_estimate(sampled[t] - reference[e][t], kl).value;
        penalties[e].push_back(report_.kl_coefficient * value);
        sum += value;
        tokens += 1;
      }
    }
    metrics_["train/kl_to_reference_nats"] = sum / std::max(1.0, tokens);
  }
  std::vector<EpisodeRewards> rewards;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    rewards.push_back(episode_rewards(episodes[e], config_.rewards, penalties[e]));
  }
  return rewards;
}

void PolicyTrainer::correct_mismatch(std::span<PolicyLesson* const> lessons) {
  const auto correction = mismatch_config(config_.mismatch_correction);
  if (!correction) {
    return;
  }
  std::vector<const Episode*> episodes;
  for (const PolicyLesson* lesson : lessons) {
    episodes.push_back(lesson->episode);
  }
  auto trainer = score_episodes(policy_.model, episodes, config_.tokens_per_micro_batch);
  std::vector<double> all_trainer;
  std::vector<double> all_engine;
  for (std::size_t n = 0; n < lessons.size(); ++n) {
    const std::vector<double> engine = sampled_logprobs(*lessons[n]->episode);
    all_trainer.insert(all_trainer.end(), trainer[n].begin(), trainer[n].end());
    all_engine.insert(all_engine.end(), engine.begin(), engine.end());
    lessons[n]->weights.clear();
    std::size_t first = 0;  // what was read in one context is one sequence
    for (const std::size_t count : choices_of_contexts(*lessons[n]->episode)) {
      const std::vector<double> of_context =
          mismatch_weights(std::span<const double>(trainer[n]).subspan(first, count),
                           std::span<const double>(engine).subspan(first, count),
                           *correction);
      lessons[n]->weights.insert(lessons[n]->weights.end(), of_context.begin(), of_context.end());
      first += count;
    }
    lessons[n]->old_logprobs = std::move(trainer[n]);
  }
  note_mismatch(all_trainer, all_engine);
}

// Where nothing was learnt, so that nothing has moved: the first group says it.
void PolicyTrainer::compare_with_sampler(const std::vector<Episode>& episodes) {
  std::vector<const Episode*> group;
  std::vector<double> engine;
  for (std::size_t e = 0; e < std::min(episodes.size(), config_.group_size); ++e) {
    group.push_back(&episodes[e]);
    const std::vector<double> sampled = sampled_logprobs(episodes[e]);
    engine.insert(engine.end(), sampled.begin(), sampled.end());
  }
  std::vector<double> trainer;
  for (const auto& scored : score_episodes(policy_.model, group, config_.tokens_per_micro_batch)) {
    trainer.insert(trainer.end(), scored.begin(), scored.end());
  }
  note_mismatch(trainer, engine);
}

void PolicyTrainer::note_mismatch(std::span<const double> trainer, std::span<const double> engine) {
  const MismatchMetrics apart = measure_mismatch(trainer, engine);
  metrics_["train/mismatch_kl_nats"] = apart.kl_k3;
  metrics_["train/mismatch_largest_nats"] = apart.max_difference;
  metrics_["train/mismatch_outside_share"] = apart.outside_share;
  metrics_["train/mismatch_effective_share"] = apart.effective_sample_share;
}

void PolicyTrainer::for_each_mini_batch(
    std::span<const PolicyLesson* const> lessons,
    const std::function<void(std::span<const std::size_t>)>& step) {
  double wanted = static_cast<double>(config_.mini_batches);
  if (config_.mini_batch_steps > 0) {
    std::size_t steps = 0;
    for (const PolicyLesson* lesson : lessons) {
      steps += lesson->episode->trajectory.steps.size();
    }
    wanted = std::ceil(static_cast<double>(steps) / static_cast<double>(config_.mini_batch_steps));
  } else {
    // The last iterations of a step budget have fewer groups: fewer updates then, not noisier ones.
    wanted *= static_cast<double>(num_groups_) / static_cast<double>(config_.tasks_per_iteration);
  }
  const auto mini_batches = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(wanted)));
  const std::size_t size = (lessons.size() + mini_batches - 1) / mini_batches;
  std::vector<std::size_t> order(lessons.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  Rng stream = rng_.fork("mini-batches", report_.iterations);
  for (std::size_t pass = 0; pass < config_.passes; ++pass) {
    stream.shuffle(order);
    for (std::size_t begin = 0; begin < order.size(); begin += size) {
      step(std::span(order).subspan(begin, std::min(size, order.size() - begin)));
    }
  }
}

void PolicyTrainer::step(std::span<const PolicyLesson* const> lessons) {
  PolicyStepConfig config = {.objective = config_.objective,
                             .optimizer = config_.optimizer,
                             .count_every_context = config_.advantages.count_every_step,
                             .tokens_per_micro_batch = config_.tokens_per_micro_batch};
  config.objective.loss.kl_coefficient = config_.kl.in_reward ? 0.0 : report_.kl_coefficient;
  const double rise = static_cast<double>(report_.iterations + 1) /
                      static_cast<double>(config_.warmup_iterations + 1);
  config.control = {.guard = &guards_.policy(),
                    .rate_share = std::min(1.0, rise) * guards_.rate_share()};
  const PolicyStep done = step_policy(
      policy_.model, config_.kl.in_reward || !reference_ ? nullptr : &*reference_, lessons, config);
  if (done.tokens == 0) {
    return;
  }
  if (!metrics_.contains("train/mismatch_kl_nats")) {
    note_mismatch(done.logprobs, done.sampled_logprobs);  // nothing has moved yet
  }
  // Of the last mini-batch: how far the iteration has moved.
  const PolicySums& sums = done.sums;
  guards_.count(done.update);
  report_.trained_tokens += done.tokens;
  metrics_["train/kl_to_old_nats"] = sums.kl_to_old / sums.tokens;
  if (!config_.kl.in_reward) {
    metrics_["train/kl_to_reference_nats"] = sums.kl_to_reference / sums.tokens;
  }
  metrics_["train/entropy_nats"] = sums.entropy / sums.tokens;
  metrics_["train/clipped_share"] = sums.clipped / sums.tokens;
  metrics_["train/gradient_norm"] = done.update.gradient_norm;
  metrics_["train/learning_rate_share"] = config.control.rate_share;
}

void PolicyTrainer::follow_kl_target(std::size_t num_episodes) {
  if (!config_.kl.adaptive || !metrics_.contains("train/kl_to_reference_nats")) {
    return;
  }
  AdaptiveKl controller({.start = config_.objective.loss.kl_coefficient,
                         .target = config_.kl.target,
                         .horizon = config_.kl.horizon},
                        report_.kl_coefficient);
  controller.update(metrics_["train/kl_to_reference_nats"], num_episodes);
  report_.kl_coefficient = controller.coefficient();
  metrics_["train/kl_coefficient"] = report_.kl_coefficient;
}

void PolicyTrainer::record_pools() {
  const TaskPools pools = curriculum_.pools();
  metrics_["curriculum/unseen_tasks"] = static_cast<double>(pools.unseen);
  metrics_["curriculum/learnable_tasks"] = static_cast<double>(pools.learnable);
  metrics_["curriculum/saturated_tasks"] = static_cast<double>(pools.saturated);
  metrics_["curriculum/hopeless_tasks"] = static_cast<double>(pools.hopeless);
}

void PolicyTrainer::take_reference(std::string weights) {
  reference_weights_ = std::move(weights);
  reference_.emplace(ReferencePolicy::of(policy_.model, reference_weights_));
}

bool PolicyTrainer::validation_due() const {
  return config_.validate_every > 0 && validate &&
         (report_.iterations % config_.validate_every == 0 ||
          report_.iterations == config_.iterations);
}

void PolicyTrainer::keep_best() {
  if (!validation_due()) {
    return;
  }
  const auto start = clock_.now();
  const double success = validate();
  times_.validation += seconds_since(clock_, start);
  metrics_["validation/success_share"] = success;
  if (best_weights_.empty() || success >= report_.best_validation) {
    report_.best_validation = success;
    report_.best_iteration = report_.iterations;
    best_weights_ = trained_bytes(policy_.model);
  }
}

void PolicyTrainer::publish(const std::string& name) {
  if (const auto adapter = policy_.model.adapter()) {
    policy_.engine.set_adapter(*adapter, name);
  } else {
    policy_.engine.set_weights(policy_.model.weights(name));
  }
}

std::string PolicyTrainer::version() const {
  return fmt::format("{}-{}", phase_, report_.iterations);
}

void PolicyTrainer::save() const {
  Blobs blobs = model_blobs(policy_.model);
  blobs["state"] = state_text(report_);
  blobs["best_weights"] = best_weights_;
  blobs["reference_weights"] = reference_weights_;
  blobs["guards"] = guards_.save();
  // While all is calm these are the model's own.
  blobs["calm_weights"] = guards_.num_alarms() > 0 ? calm_weights_ : "";
  blobs["curriculum"] = curriculum_state_;
  blobs["listener"] = listener != nullptr ? listener->save() : "";
  save_more(blobs);
  CheckpointFolder(*checkpoints).save(report_.iterations, blobs);
}

bool PolicyTrainer::resume() {
  if (!checkpoints) {
    return false;
  }
  const auto saved = CheckpointFolder(*checkpoints).load_latest();
  if (!saved) {
    return false;
  }
  if (progress != nullptr && !saved->skipped.empty()) {
    progress->note("a damaged checkpoint was left out: " + saved->skipped);
  }
  report_.iterations = saved->number;
  restore_state(saved->blobs.at("state"), report_);
  best_weights_ = saved->blobs.at("best_weights");
  restore_model(policy_.model, saved->blobs);
  restore_more(saved->blobs);
  guards_.restore(saved->blobs.at("guards"));
  calm_weights_ = saved->blobs.at("calm_weights");
  if (guards_.num_alarms() == 0) {
    remember_calm_policy();
  }
  if (!saved->blobs.at("reference_weights").empty()) {
    take_reference(saved->blobs.at("reference_weights"));
  }
  curriculum_state_ = saved->blobs.at("curriculum");
  curriculum_.restore(curriculum_state_);
  if (listener != nullptr) {
    listener->restore(saved->blobs.at("listener"));
  }
  publish(version());
  return true;
}

}  // namespace dreamgym
