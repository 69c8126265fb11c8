#include "dreamgym/train/grpo.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

GrpoTrainer::GrpoTrainer(Policy policy,
                         TaskCurriculum& curriculum,
                         Playground playground,
                         const PolicyTrainingConfig& config,
                         const Rng& rng)
    : PolicyTrainer(std::move(policy), curriculum, std::move(playground), config, rng) {
  if (config.group_size < 2 && compares_within_groups(config.advantages.estimator)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("algorithm \"{}\" with group_size {}: one episode has no siblings to be "
                            "compared with",
                            config.algorithm,
                            config.group_size),
                "raise group_size to 2 or more, or choose ppo or reinforce_pp");
  }
}

void GrpoTrainer::learn(const std::vector<Episode>& episodes) {
  const std::vector<EpisodeRewards> rewards = rewards_of(episodes);
  const auto advantages = policy_advantages(episodes, rewards, config_.advantages);
  std::vector<PolicyLesson> lessons;  // of the episodes that say something
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    if (std::ranges::any_of(advantages[e], [](double advantage) { return advantage != 0; })) {
      lessons.push_back({.episode = &episodes[e], .advantages = advantages[e]});
    }
  }
  metrics_["train/informative_share"] =
      static_cast<double>(lessons.size()) / std::max(1.0, static_cast<double>(episodes.size()));
  if (lessons.empty()) {
    ++report_.idle_iterations;
    return;
  }
  std::vector<PolicyLesson*> pointers;
  for (PolicyLesson& lesson : lessons) {
    pointers.push_back(&lesson);
  }
  correct_mismatch(pointers);
  const std::vector<const PolicyLesson*> ready(pointers.begin(), pointers.end());
  for_each_mini_batch(ready, [&](std::span<const std::size_t> part) {
    std::vector<const PolicyLesson*> of_step;
    for (const std::size_t n : part) {
      of_step.push_back(ready[n]);
    }
    step(of_step);
  });
}

std::string GrpoTrainer::remark() {
  return fmt::format("success {:.2f} kl {:.4f} entropy {:.2f}",
                     metrics_["rollout/success_share"],
                     metrics_["train/kl_to_old_nats"],
                     metrics_["train/entropy_nats"]);
}

}  // namespace dreamgym
