#include "dreamgym/train/policy_trainer.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// A group that lacks a member for reasons of infrastructure would compare its others with the wrong mean.
// @return how many groups were taken out.
std::size_t drop_incomplete_groups(std::vector<Episode>& episodes, std::size_t group_size) {
  std::vector<Episode> whole;
  std::size_t dropped = 0;
  for (std::size_t first = 0; first < episodes.size(); first += group_size) {
    const auto begin = episodes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(group_size);
    const bool failed = std::any_of(begin, end, [](const Episode& episode) {
      return episode.trajectory.outcome == Outcome::kInfrastructureError;
    });
    if (failed) {
      ++dropped;
    } else {
      whole.insert(whole.end(), std::make_move_iterator(begin), std::make_move_iterator(end));
    }
  }
  episodes = std::move(whole);
  return dropped;
}

}  // namespace

PolicyTrainer::PolicyTrainer(Policy policy,
                             TaskCurriculum& curriculum,
                             Playground playground,
                             Loop loop,
                             const Rng& rng)
    : policy_(std::move(policy)),
      curriculum_(curriculum),
      rng_(rng),
      playground_(std::move(playground)),
      loop_(loop) {}

PolicyReport PolicyTrainer::run(const std::string& phase) {
  phase_ = phase;
  if (!resume()) {
    if (loop_.has_reference) {
      take_reference(weight_bytes(policy_.model.weights("")));
    }
    publish(version());
    keep_best();
    if (checkpoints) {
      save();
    }
  }
  // A budget of steps ends the training long before `iterations`, which is then only a bound.
  const bool by_steps = loop_.step_budget > 0;
  const auto done = [&] { return by_steps ? report_.environment_steps : report_.iterations; };
  if (progress != nullptr) {
    progress->begin(phase_, by_steps ? loop_.step_budget : loop_.iterations, by_steps ? "steps" : "iterations");
    progress->resume(done());
  }
  const auto stopped = [&] { return listener != nullptr && listener->wants_stop(); };
  while (report_.iterations < loop_.iterations && tasks_that_fit() > 0 && !stopped()) {
    metrics_.clear();
    const auto tasks =
        curriculum_.next(tasks_that_fit(), rng_.fork("tasks", report_.iterations));
    const auto episodes = play(tasks);
    const SteadyClock clock;
    const auto start = clock.now();
    learn(episodes);
    report_.update_seconds += seconds_since(clock, start);
    ++report_.iterations;
    record_pools();
    publish(version());
    keep_best();
    if (listener != nullptr) {
      listener->on_iteration(report_.iterations, episodes, metrics_);
    }
    if (progress != nullptr) {
      progress->advance(done(), remark());
    }
    if (checkpoints && report_.iterations % loop_.checkpoint_every == 0) {
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
    progress->end(best_weights_.empty()
                      ? fmt::format("{} iterations, the last policy kept", report_.iterations)
                      : fmt::format("kept iteration {}", report_.best_iteration));
  }
  return report_;
}

std::size_t PolicyTrainer::tasks_that_fit() const {
  if (loop_.step_budget == 0) {
    return loop_.tasks_per_iteration;
  }
  const std::size_t left = loop_.step_budget - report_.environment_steps;
  return std::min(loop_.tasks_per_iteration, left / (loop_.episodes_per_task * loop_.max_steps));
}

std::vector<Episode> PolicyTrainer::play(const std::vector<Task>& tasks) {
  std::vector<Task> members;
  for (const Task& task : tasks) {
    members.insert(members.end(), loop_.episodes_per_task, task);
  }
  TokenAgent agent(policy_.engine, policy_.tokenizer, {.temperature = loop_.temperature});
  RolloutCost cost;
  auto episodes = play_episodes(
      agent,
      playground_.environment,
      playground_.mappers,
      members,
      rng_.fork("rollout", report_.iterations),
      {.max_steps = loop_.max_steps,
       .batch_size = members.size(),
       .provenance = playground_.provenance,
       .simulator_version = playground_.simulator_version},
      &cost);
  if (cost.infrastructure_errors > 0) {
    metrics_["rollout/infrastructure_errors"] = static_cast<double>(cost.infrastructure_errors);
    metrics_["rollout/dropped_groups"] =
        static_cast<double>(drop_incomplete_groups(episodes, loop_.episodes_per_task));
  }
  if (episodes.empty()) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: not one of {} groups could be played to its end: the environment does not answer",
                            phase_,
                            tasks.size()),
                "look at the server, then continue with --resume");
  }
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

void PolicyTrainer::record_pools() {
  const TaskPools pools = curriculum_.pools();
  metrics_["curriculum/unseen_tasks"] = static_cast<double>(pools.unseen);
  metrics_["curriculum/learnable_tasks"] = static_cast<double>(pools.learnable);
  metrics_["curriculum/saturated_tasks"] = static_cast<double>(pools.saturated);
  metrics_["curriculum/hopeless_tasks"] = static_cast<double>(pools.hopeless);
}

void PolicyTrainer::take_reference(std::string weights) {
  reference_weights_ = std::move(weights);
  TransformerWeights start = policy_.model.weights("reference");
  set_weight_bytes(start, reference_weights_);
  reference_ = std::make_unique<TrainableModel>(std::move(start), policy_.model.num_threads());
}

void PolicyTrainer::keep_best() {
  const bool due = loop_.validate_every > 0 && validate &&
                   (report_.iterations % loop_.validate_every == 0 ||
                    report_.iterations == loop_.iterations);
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

void PolicyTrainer::publish(const std::string& name) { policy_.engine.set_weights(policy_.model.weights(name)); }

std::string PolicyTrainer::version() const {
  return fmt::format("{}-{}", phase_, report_.iterations);
}

void PolicyTrainer::save() const {
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
  restore_more(saved->blobs);
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
