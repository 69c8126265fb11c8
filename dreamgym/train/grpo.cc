#include "dreamgym/train/grpo.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/train/advantages.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/packing.h"

namespace dreamgym {

GrpoTrainer::GrpoTrainer(Policy policy,
                         TaskCurriculum& curriculum,
                         Playground playground,
                         GrpoConfig config,
                         const Rng& rng)
    : policy_(std::move(policy)),
      curriculum_(curriculum),
      playground_(std::move(playground)),
      config_(config),
      rng_(rng) {
  check(config_.group_size >= 2, "group_size >= 2");
  check(config_.mini_batches >= 1, "mini_batches >= 1");
}

GrpoReport GrpoTrainer::run(const std::string& phase) {
  phase_ = phase;
  if (!resume()) {
    if (config_.loss.kl_coefficient > 0) {
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
    progress->resume(report_.iterations);
  }
  while (report_.iterations < config_.iterations && groups_that_fit() > 0) {
    metrics_.clear();
    const auto tasks =
        curriculum_.next(groups_that_fit(), rng_.fork("tasks", report_.iterations));
    const auto episodes = play(tasks);
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
                        fmt::format("success {:.2f} kl {:.4f} entropy {:.2f}",
                                    metrics_["rollout/success_share"],
                                    metrics_["train/kl_to_old_nats"],
                                    metrics_["train/entropy_nats"]));
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

std::size_t GrpoTrainer::groups_that_fit() const {
  if (config_.step_budget == 0) {
    return config_.tasks_per_iteration;
  }
  const std::size_t left = config_.step_budget - report_.environment_steps;
  return std::min(config_.tasks_per_iteration, left / (config_.group_size * config_.max_steps));
}

std::vector<Episode> GrpoTrainer::play(const std::vector<Task>& tasks) {
  std::vector<Task> members;
  for (const Task& task : tasks) {
    members.insert(members.end(), config_.group_size, task);
  }
  TokenAgent agent(policy_.engine, policy_.tokenizer, {.temperature = config_.temperature});
  RolloutCost cost;
  auto episodes = play_episodes(
      agent,
      playground_.environment,
      playground_.mappers,
      members,
      rng_.fork("rollout", report_.iterations),
      {.max_steps = config_.max_steps,
       .batch_size = members.size(),
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

GrpoTrainer::StepAdvantages GrpoTrainer::advantages_of(std::span<const Episode> episodes) const {
  StepAdvantages advantages;
  std::vector<GigpoStep> steps;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Trajectory& story = episodes[e].trajectory;
    const std::size_t group = e / config_.group_size;
    if (e % config_.group_size == 0) {
      std::vector<double> returns;
      for (std::size_t i = e; i < e + config_.group_size; ++i) {
        returns.push_back(episodes[i].trajectory.episode_return);
      }
      for (const double advantage : group_advantages(returns)) {
        const std::size_t member = advantages.size();
        advantages.emplace_back(episodes[member].trajectory.steps.size(), advantage);
      }
    }
    for (const Transition& transition : story.steps) {
      steps.push_back(
          {group, e, story.episode_return, transition.reward, transition.observation.text});
    }
  }
  if (config_.step_weight > 0) {
    const auto fine = gigpo_advantages(steps, {.gamma = config_.step_discount});
    std::size_t at = 0;
    for (auto& of_episode : advantages) {
      for (double& advantage : of_episode) {
        advantage += config_.step_weight * fine.step_part[at++];
      }
    }
  }
  return advantages;
}

void GrpoTrainer::learn(const std::vector<Episode>& episodes) {
  double variance = 0;
  const std::size_t num_groups = episodes.size() / config_.group_size;
  for (std::size_t g = 0; g < num_groups; ++g) {
    std::vector<double> returns;
    for (std::size_t i = 0; i < config_.group_size; ++i) {
      returns.push_back(episodes[g * config_.group_size + i].trajectory.episode_return);
    }
    curriculum_.update(episodes[g * config_.group_size].trajectory.task, returns);
    variance += group_variance(returns) / static_cast<double>(num_groups);
  }
  const StepAdvantages advantages = advantages_of(episodes);
  std::vector<std::size_t> order;  // of the episodes that say something
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    if (std::ranges::any_of(advantages[e], [](double advantage) { return advantage != 0; })) {
      order.push_back(e);
    }
  }
  metrics_["curriculum/group_variance"] = variance;
  metrics_["train/informative_share"] =
      static_cast<double>(order.size()) / static_cast<double>(episodes.size());
  if (order.empty()) {
    ++report_.idle_iterations;
    return;
  }
  Rng stream = rng_.fork("mini-batches", report_.iterations);
  const std::size_t size = (order.size() + config_.mini_batches - 1) / config_.mini_batches;
  for (std::size_t pass = 0; pass < config_.passes; ++pass) {
    stream.shuffle(order);
    for (std::size_t begin = 0; begin < order.size(); begin += size) {
      std::vector<const Episode*> part;
      StepAdvantages part_advantages;
      for (std::size_t i = begin; i < std::min(order.size(), begin + size); ++i) {
        part.push_back(&episodes[order[i]]);
        part_advantages.push_back(advantages[order[i]]);
      }
      step(part, part_advantages);
    }
  }
}

void GrpoTrainer::step(const std::vector<const Episode*>& episodes,
                       const StepAdvantages& advantages) {
  const PlayedBatches played = pack_episodes(episodes, config_.tokens_per_micro_batch);
  if (played.num_queries == 0) {
    return;
  }
  const auto count = static_cast<double>(played.num_queries);  // token mean over the whole mini-batch
  const auto reference = reference_ ? reference_->score(played.batches)
                                    : std::vector<std::vector<TokenScore>>{};
  const auto token = [&](std::size_t b, std::size_t q, const TokenScore& score) {
    return PolicyToken{score.logprob,
                       played.old_logprobs[b][q],
                       reference.empty() ? 0.0 : reference[b][q].logprob,
                       advantages[played.episode[b][q]][played.turn[b][q]]};
  };
  const auto scores = policy_.model.accumulate(
      played.batches, [&](std::size_t b, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (std::size_t q = 0; q < of_batch.size(); ++q) {
          const auto loss = clipped_policy_loss(token(b, q, of_batch[q]), config_.loss);
          gradient[q].logprob = static_cast<float>(loss.d_logprob / count);
          gradient[q].entropy = static_cast<float>(-config_.loss.entropy_coefficient / count);
        }
        return gradient;
      });
  double kl = 0;
  double kl_to_reference = 0;
  double entropy = 0;
  double clipped = 0;
  for (std::size_t b = 0; b < scores.size(); ++b) {
    for (std::size_t q = 0; q < scores[b].size(); ++q) {
      const auto loss = clipped_policy_loss(token(b, q, scores[b][q]), config_.loss);
      kl += loss.kl_to_old / count;
      kl_to_reference += loss.kl_to_reference / count;
      entropy += scores[b][q].entropy / count;
      clipped += (loss.clipped ? 1.0 : 0.0) / count;
    }
  }
  const UpdateResult update = policy_.model.update(config_.optimizer);
  report_.skipped_updates += update.skipped ? 1 : 0;
  report_.trained_tokens += played.num_tokens;
  metrics_["train/kl_to_old_nats"] = kl;  // of the last mini-batch: how far the iteration has moved
  metrics_["train/kl_to_reference_nats"] = kl_to_reference;
  metrics_["train/entropy_nats"] = entropy;
  metrics_["train/clipped_share"] = clipped;
  metrics_["train/gradient_norm"] = update.gradient_norm;
  metrics_["train/skipped"] += update.skipped ? 1.0 : 0.0;
}

void GrpoTrainer::take_reference(std::string weights) {
  reference_weights_ = std::move(weights);
  TransformerWeights start = policy_.model.weights("reference");
  set_weight_bytes(start, reference_weights_);
  reference_ = std::make_unique<TrainableModel>(std::move(start), policy_.model.num_threads());
}

void GrpoTrainer::keep_best() {
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

void GrpoTrainer::publish(const std::string& name) { policy_.engine.set_weights(policy_.model.weights(name)); }

std::string GrpoTrainer::version() const {
  return fmt::format("{}-{}", phase_, report_.iterations);
}

void GrpoTrainer::save() const {
  StateWriter state;
  state.integer("environment_steps", report_.environment_steps);
  state.integer("episodes", report_.episodes);
  state.integer("sampled_tokens", report_.sampled_tokens);
  state.integer("trained_tokens", report_.trained_tokens);
  state.integer("skipped_updates", report_.skipped_updates);
  state.integer("idle_iterations", report_.idle_iterations);
  state.integer("best_iteration", report_.best_iteration);
  state.real("best_validation", report_.best_validation);
  Blobs blobs = model_blobs(policy_.model);
  blobs["state"] = state.text();
  blobs["best_weights"] = best_weights_;
  blobs["reference_weights"] = reference_weights_;
  blobs["curriculum"] = curriculum_.save();
  blobs["listener"] = listener != nullptr ? listener->save() : "";
  CheckpointFolder(*checkpoints).save(report_.iterations, blobs);
}

bool GrpoTrainer::resume() {
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
  report_.idle_iterations = state.integer("idle_iterations");
  report_.best_iteration = state.integer("best_iteration");
  report_.best_validation = state.real("best_validation");
  best_weights_ = saved->blobs.at("best_weights");
  restore_model(policy_.model, saved->blobs);
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
