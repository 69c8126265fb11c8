#include "dreamgym/train/grpo.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/advantages.h"
#include "dreamgym/train/gigpo.h"
#include "dreamgym/train/packing.h"

namespace dreamgym {
namespace {

// Of the group's episodes, which stand side by side from `first` on.
std::vector<double> group_returns(std::span<const Episode> episodes,
                                  std::size_t first,
                                  std::size_t group_size) {
  std::vector<double> returns;
  for (const Episode& episode : episodes.subspan(first, group_size)) {
    returns.push_back(episode.trajectory.episode_return);
  }
  return returns;
}

}  // namespace

GrpoTrainer::GrpoTrainer(Policy policy,
                         TaskCurriculum& curriculum,
                         Playground playground,
                         GrpoConfig config,
                         const Rng& rng)
    : PolicyTrainer(std::move(policy),
                    curriculum,
                    std::move(playground),
                    {.iterations = config.iterations,
                     .tasks_per_iteration = config.tasks_per_iteration,
                     .episodes_per_task = config.group_size,
                     .max_steps = config.max_steps,
                     .step_budget = config.step_budget,
                     .validate_every = config.validate_every,
                     .checkpoint_every = config.checkpoint_every,
                     .temperature = config.temperature,
                     .has_reference = config.loss.kl_coefficient > 0},
                    rng),
      config_(config) {
  check(config_.group_size >= 2, "group_size >= 2");
  check(config_.mini_batches >= 1, "mini_batches >= 1");
}

std::string GrpoTrainer::remark() {
  return fmt::format("success {:.2f} kl {:.4f} entropy {:.2f}",
                     metrics_["rollout/success_share"],
                     metrics_["train/kl_to_old_nats"],
                     metrics_["train/entropy_nats"]);
}

GrpoTrainer::StepAdvantages GrpoTrainer::advantages_of(std::span<const Episode> episodes) const {
  StepAdvantages advantages;
  std::vector<GigpoStep> steps;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const Trajectory& story = episodes[e].trajectory;
    const std::size_t group = e / config_.group_size;
    if (e % config_.group_size == 0) {
      for (const double advantage :
           group_advantages(group_returns(episodes, e, config_.group_size))) {
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
    const auto returns = group_returns(episodes, g * config_.group_size, config_.group_size);
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
  // The last iterations of a step budget have fewer groups: fewer updates then, not noisier ones.
  const double whole =
      static_cast<double>(num_groups) / static_cast<double>(config_.tasks_per_iteration);
  const auto mini_batches = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(whole * static_cast<double>(config_.mini_batches))));
  const std::size_t size = (order.size() + mini_batches - 1) / mini_batches;
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
  const double rise = static_cast<double>(report_.iterations + 1) /
                      static_cast<double>(config_.warmup_iterations + 1);
  const UpdateResult update = policy_.model.update(config_.optimizer, std::min(1.0, rise));
  report_.skipped_updates += update.skipped ? 1 : 0;
  report_.trained_tokens += played.num_tokens;
  metrics_["train/kl_to_old_nats"] = kl;  // of the last mini-batch: how far the iteration has moved
  metrics_["train/kl_to_reference_nats"] = kl_to_reference;
  metrics_["train/entropy_nats"] = entropy;
  metrics_["train/clipped_share"] = clipped;
  metrics_["train/gradient_norm"] = update.gradient_norm;
  metrics_["train/skipped"] += update.skipped ? 1.0 : 0.0;
}

}  // namespace dreamgym
