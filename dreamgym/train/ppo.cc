#include "dreamgym/train/ppo.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/train/internal/require.h"

namespace dreamgym {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

PpoTrainer::PpoTrainer(ActorCritic models,
                       TaskCurriculum& curriculum,
                       Playground playground,
                       PpoConfig config,
                       const Rng& rng)
    : PolicyTrainer(std::move(models.policy),
                    curriculum,
                    std::move(playground),
                    {.iterations = config.iterations,
                     .tasks_per_iteration = config.tasks_per_iteration,
                     .episodes_per_task = 1,
                     .max_steps = config.max_steps,
                     .step_budget = config.step_budget,
                     .validate_every = config.validate_every,
                     .checkpoint_every = config.checkpoint_every,
                     .temperature = config.temperature,
                     .has_reference = config.update.objective.loss.kl_coefficient > 0},
                    rng),
      critic_(models.critic),
      config_(config) {
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

std::string PpoTrainer::remark() {
  return fmt::format("success {:.2f} value loss {:.4f} kl {:.4f}",
                     metrics_["rollout/success_share"],
                     metrics_["train/value_loss"],
                     metrics_["train/kl_to_old_nats"]);
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
  update_curriculum(episodes);
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

void PpoTrainer::save_more(Blobs& blobs) const {
  for (auto& [name, bytes] : model_blobs(critic_)) {
    blobs["critic_" + name] = bytes;
  }
}

void PpoTrainer::restore_more(const Blobs& blobs) {
  restore_model(
      critic_,
      {{"weights", blobs.at("critic_weights")}, {"optimizer", blobs.at("critic_optimizer")}});
}

}  // namespace dreamgym
