#include "dreamgym/train/ppo.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

PpoTrainer::PpoTrainer(ActorCritic models,
                       TaskCurriculum& curriculum,
                       Playground playground,
                       const PolicyTrainingConfig& config,
                       const Rng& rng)
    : PolicyTrainer(std::move(models.policy), curriculum, std::move(playground), config, rng),
      critic_(models.critic) {
  if (critic_.config().vocab_size != policy_.model.config().vocab_size) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the critic knows {} tokens, the policy {}",
                            critic_.config().vocab_size,
                            policy_.model.config().vocab_size),
                "make the critic from the policy's weights, or train one with its tokenizer");
  }
}

void PpoTrainer::learn(const std::vector<Episode>& episodes) {
  std::vector<PpoLesson> lessons = ppo_lessons(episodes,
                                               rewards_of(episodes),
                                               critic_,
                                               config_.critic,
                                               config_.tokens_per_micro_batch);
  std::vector<PolicyLesson*> of_policy;
  for (PpoLesson& lesson : lessons) {
    of_policy.push_back(&lesson.policy);
  }
  correct_mismatch(of_policy);
  const std::vector<const PolicyLesson*> ready(of_policy.begin(), of_policy.end());
  for_each_mini_batch(ready, [&](std::span<const std::size_t> part) {
    std::vector<const PolicyLesson*> of_actor;
    std::vector<const PpoLesson*> of_critic;
    for (const std::size_t n : part) {
      of_actor.push_back(ready[n]);
      of_critic.push_back(&lessons[n]);
    }
    if (report_.iterations >= config_.critic.warmup_iterations) {
      step(of_actor);
    }
    note(step_critic(critic_,
                     of_critic,
                     config_.critic,
                     config_.tokens_per_micro_batch,
                     {.guard = &guards_.critic(), .rate_share = guards_.rate_share()}));
  });
}

std::string PpoTrainer::remark() {
  return fmt::format("success {:.2f} value loss {:.4f} kl {:.4f}",
                     metrics_["rollout/success_share"],
                     metrics_["train/value_loss"],
                     metrics_["train/kl_to_old_nats"]);
}

// Of the last mini-batch.
void PpoTrainer::note(const CriticStep& step) {
  guards_.count(step.update);
  metrics_["train/value_loss"] = step.loss;
  metrics_["train/value_clipped_share"] = step.clipped_share;
  metrics_["train/value_explained_variance"] = step.explained_variance;
  metrics_["train/value_gradient_norm"] = step.update.gradient_norm;
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
