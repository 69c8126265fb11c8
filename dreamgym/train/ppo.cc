#include "dreamgym/train/ppo.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"
#include "dreamgym/train/model_state.h"

namespace dreamgym {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

PpoTrainer::PpoTrainer(ActorCritic models,
                       TaskCurriculum& curriculum,
                       Playground playground,
                       PpoConfig config,
                       const Rng& rng)
    : policy_(std::move(models.policy)),
      critic_(models.critic),
      curriculum_(curriculum),
      playground_(std::move(playground)),
      config_(config),
      rng_(rng) {
  internal::require_between(static_cast<double>(config_.epochs), 1, kMost, "epochs of PPO");
  internal::require_between(
      static_cast<double>(config_.mini_batches), 1, kMost, "mini_batches of PPO");
  internal::require_between(
      config_.update.invalid_action_penalty, 0, kMost, "invalid_action_penalty of PPO");
  if (critic_.config().vocab_size != policy_.model.config().vocab_size) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the critic knows {} tokens, the policy {}",
                            critic_.config().vocab_size,
                            policy_.model.config().vocab_size),
                "make the critic from the policy's weights, or train one with its tokenizer");
  }
}

PpoReport PpoTrainer::run(const std::string& phase) {
  phase_ = phase;
  if (!resume()) {
    if (config_.update.objective.loss.kl_coefficient > 0) {
      take_reference(weight_bytes(policy_.model.weights("")));
    }
    publish(version());
    keep_best();
    if (checkpoints) {
      save();
    }
  }
  if (progress != nullptr) {
    progress->begin(phase_, config_.iterations, "iterations");
  }
  while (report_.iterations < config_.iterations && episodes_that_fit() > 0) {
    metrics_.clear();
    const auto tasks =
        curriculum_.next(episodes_that_fit(), rng_.fork("tasks", report_.iterations));
    const auto episodes = play(tasks);
    update_curriculum(episodes);
    const SteadyClock clock;
    const auto start = clock.now();
    learn(episodes);
    report_.update_seconds += seconds_since(clock, start);
    ++report_.iterations;
    publish(version());
    keep_best();
    if (listener != nullptr) {
      listener->on_iteration(report_.iterations, episodes, metrics_);
    }
    if (progress != nullptr) {
      progress->advance(report_.iterations,
                        fmt::format("success {:.2f} value loss {:.4f} kl {:.4f}",
                                    metrics_["rollout/success_share"],
                                    metrics_["train/value_loss"],
                                    metrics_["train/kl_to_old_nats"]));
    }
    if (checkpoints && report_.iterations % config_.checkpoint_every == 0) {
      save();
    }
  }
  if (!best_weights_.empty()) {
    TransformerWeights best = policy_.model.weights("");
    set_weight_bytes(best, best_weights_);
    policy_.model.set_weights(best);
    publish(fmt::format("{}-{}", phase_, report_.best_iteration));
  }
  if (progress != nullptr) {
    progress->end(fmt::format("kept iteration {}", report_.best_iteration));
  }
  return report_;
}

std::size_t PpoTrainer::episodes_that_fit() const {
  if (config_.step_budget == 0) {
    return config_.tasks_per_iteration;
  }
  const std::size_t left = config_.step_budget - report_.environment_steps;
  return std::min(config_.tasks_per_iteration, left / config_.max_steps);
}

std::vector<Episode> PpoTrainer::play(const std::vector<Task>& tasks) {
  TokenAgent agent(policy_.engine, policy_.tokenizer, {.temperature = config_.temperature});
  RolloutCost cost;
  auto episodes = play_episodes(agent,
                                playground_.environment,
                                playground_.mappers,
                                tasks,
                                rng_.fork("rollout", report_.iterations),
                                {.max_steps = config_.max_steps,
                                 .batch_size = tasks.size(),
                                 .provenance = playground_.provenance,
                                 .simulator_version = playground_.simulator_version},
                                &cost);
  report_.environment_steps += cost.steps;
  report_.episodes += episodes.size();
  report_.sampled_tokens += cost.sampled_tokens;
  report_.environment_seconds += cost.environment_seconds;
  report_.agent_seconds += cost.agent_seconds;
  double successes = 0;
  double invalid = 0;
  for (const Episode& episode : episodes) {
    successes += episode.trajectory.success() ? 1 : 0;
    for (const Transition& transition : episode.trajectory.steps) {
      invalid += transition.action_valid ? 0 : 1;
    }
  }
  const auto count = static_cast<double>(episodes.size());
  const auto steps = static_cast<double>(cost.steps);
  metrics_["rollout/success_share"] = successes / count;
  metrics_["rollout/episode_length_steps"] = steps / count;
  metrics_["rollout/invalid_action_share"] = invalid / steps;
  metrics_["rollout/environment_steps"] = steps;
  return episodes;
}

// Episodes of one task are its group, as in GRPO; the curriculum's value lives from repeated draws.
void PpoTrainer::update_curriculum(const std::vector<Episode>& episodes) {
  std::map<std::string, std::vector<const Episode*>> by_task;
  for (const Episode& episode : episodes) {
    by_task[TaskCurriculum::content_key(episode.trajectory.task)].push_back(&episode);
  }
  for (const auto& [key, group] : by_task) {
    std::vector<double> returns;
    for (const Episode* episode : group) {
      returns.push_back(episode->trajectory.episode_return);
    }
    curriculum_.update(group.front()->trajectory.task, returns);
  }
}

void PpoTrainer::learn(const std::vector<Episode>& episodes) {
  const std::vector<PpoLesson> lessons = ppo_lessons(episodes, critic_, config_.update);
  std::vector<std::size_t> order(lessons.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t size = (order.size() + config_.mini_batches - 1) / config_.mini_batches;
  for (std::size_t epoch = 0; epoch < config_.epochs; ++epoch) {
    Rng stream = rng_.fork("mini-batches", report_.iterations).fork("epoch", epoch);
    stream.shuffle(order);
    for (std::size_t begin = 0; begin < order.size(); begin += size) {
      std::vector<const PpoLesson*> part;
      for (std::size_t i = begin; i < std::min(order.size(), begin + size); ++i) {
        part.push_back(&lessons[order[i]]);
      }
      if (report_.iterations >= config_.critic_warmup) {
        note(step_policy(policy_.model, reference_.get(), part, config_.update));
      }
      note(step_critic(critic_, part, config_.update));
    }
  }
}

// Of the last mini-batch: how far the iteration has moved.
void PpoTrainer::note(const PolicyStep& step) {
  report_.skipped_updates += step.update.skipped ? 1 : 0;
  report_.trained_tokens += step.tokens;
  metrics_["train/kl_to_old_nats"] = step.sums.kl_to_old / step.sums.tokens;
  metrics_["train/kl_to_reference_nats"] = step.sums.kl_to_reference / step.sums.tokens;
  metrics_["train/entropy_nats"] = step.sums.entropy / step.sums.tokens;
  metrics_["train/clipped_share"] = step.sums.clipped / step.sums.tokens;
  metrics_["train/gradient_norm"] = step.update.gradient_norm;
  metrics_["train/skipped"] += step.update.skipped ? 1.0 : 0.0;
}

void PpoTrainer::note(const CriticStep& step) {
  report_.skipped_updates += step.update.skipped ? 1 : 0;
  metrics_["train/value_loss"] = step.loss;
  metrics_["train/value_clipped_share"] = step.clipped_share;
  metrics_["train/value_explained_variance"] = step.explained_variance;
  metrics_["train/value_gradient_norm"] = step.update.gradient_norm;
  metrics_["train/skipped"] += step.update.skipped ? 1.0 : 0.0;
}

void PpoTrainer::take_reference(std::string weights) {
  reference_weights_ = std::move(weights);
  TransformerWeights start = policy_.model.weights("reference");
  set_weight_bytes(start, reference_weights_);
  reference_ = std::make_unique<TrainableModel>(std::move(start), policy_.model.num_threads());
}

void PpoTrainer::keep_best() {
  const bool due = config_.validate_every > 0 && validate &&
                   (report_.iterations % config_.validate_every == 0 ||
                    report_.iterations == config_.iterations);
  if (!due) {
    return;
  }
  const double success = validate();
  metrics_["validation/success_share"] = success;
  if (best_weights_.empty() || success >= report_.best_validation) {
    report_.best_validation = success;
    report_.best_iteration = report_.iterations;
    best_weights_ = weight_bytes(policy_.model.weights(""));
  }
}

void PpoTrainer::publish(const std::string& name) {
  policy_.engine.set_weights(policy_.model.weights(name));
}

std::string PpoTrainer::version() const {
  return fmt::format("{}-{}", phase_, report_.iterations);
}

void PpoTrainer::save() const {
  StateWriter state;
  state.integer("environment_steps", report_.environment_steps);
  state.integer("episodes", report_.episodes);
  state.integer("sampled_tokens", report_.sampled_tokens);
  state.integer("trained_tokens", report_.trained_tokens);
  state.integer("skipped_updates", report_.skipped_updates);
  state.integer("best_iteration", report_.best_iteration);
  state.real("best_validation", report_.best_validation);
  Blobs blobs = model_blobs(policy_.model);
  for (auto& [name, bytes] : model_blobs(critic_)) {
    blobs["critic_" + name] = bytes;
  }
  blobs["state"] = state.text();
  blobs["best_weights"] = best_weights_;
  blobs["reference_weights"] = reference_weights_;
  blobs["curriculum"] = curriculum_.save();
  blobs["listener"] = listener != nullptr ? listener->save() : "";
  CheckpointFolder(*checkpoints).save(report_.iterations, blobs);
}

bool PpoTrainer::resume() {
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
  const StateReader state(saved->blobs.at("state"));
  report_.iterations = saved->number;
  report_.environment_steps = state.integer("environment_steps");
  report_.episodes = state.integer("episodes");
  report_.sampled_tokens = state.integer("sampled_tokens");
  report_.trained_tokens = state.integer("trained_tokens");
  report_.skipped_updates = state.integer("skipped_updates");
  report_.best_iteration = state.integer("best_iteration");
  report_.best_validation = state.real("best_validation");
  best_weights_ = saved->blobs.at("best_weights");
  restore_model(policy_.model, saved->blobs);
  restore_model(critic_,
                {{"weights", saved->blobs.at("critic_weights")},
                 {"optimizer", saved->blobs.at("critic_optimizer")}});
  if (!saved->blobs.at("reference_weights").empty()) {
    take_reference(saved->blobs.at("reference_weights"));
  }
  curriculum_.restore(saved->blobs.at("curriculum"));
  if (listener != nullptr) {
    listener->restore(saved->blobs.at("listener"));
  }
  publish(version());
  return true;
}

}  // namespace dreamgym
