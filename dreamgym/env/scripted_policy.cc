#include "dreamgym/env/scripted_policy.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {

namespace {

class RandomPolicy final : public ScriptedPolicy {
 public:
  explicit RandomPolicy(std::unique_ptr<ActionMapper> mapper) : mapper_(std::move(mapper)) {}

  void reset(const Task& task, const Observation& observation, std::uint64_t seed) override {
    rng_ = Rng(seed).fork("random policy");
    admissible_ = observation.admissible;
    if (mapper_) {
      mapper_->reset(task.instruction, observation.text);
    }
  }

  Action act() override {
    if (!admissible_.empty()) {
      return rng_.choose(admissible_);
    }
    check(mapper_ != nullptr, "a random policy has admissible actions or a mapper to choose from");
    return rng_.choose(mapper_->candidates());
  }

  void observe(const Action& action, const Observation& observation) override {
    admissible_ = observation.admissible;
    if (mapper_) {
      mapper_->observe(action, observation.text);
    }
  }

 private:
  std::unique_ptr<ActionMapper> mapper_;
  std::vector<std::string> admissible_;
  Rng rng_{0};
};

class NoisyPolicy final : public ScriptedPolicy {
 public:
  NoisyPolicy(std::unique_ptr<ScriptedPolicy> policy,
              std::unique_ptr<ActionMapper> mapper,
              double noise)
      : policy_(std::move(policy)), mistakes_(std::move(mapper)), noise_(noise) {}

  void reset(const Task& task, const Observation& observation, std::uint64_t seed) override {
    rng_ = Rng(seed).fork("noisy policy");
    policy_->reset(task, observation, seed);
    mistakes_.reset(task, observation, seed);
  }

  Action act() override {
    // Both choose at every step, so that a mistake shifts neither one's random stream.
    Action action = policy_->act();
    Action mistake = mistakes_.act();
    return rng_.uniform() < noise_ ? mistake : action;
  }

  void observe(const Action& action, const Observation& observation) override {
    policy_->observe(action, observation);
    mistakes_.observe(action, observation);
  }

 private:
  std::unique_ptr<ScriptedPolicy> policy_;
  RandomPolicy mistakes_;
  double noise_;
  Rng rng_{0};
};

}  // namespace

std::unique_ptr<ScriptedPolicy> make_random_policy(std::unique_ptr<ActionMapper> mapper) {
  return std::make_unique<RandomPolicy>(std::move(mapper));
}

std::unique_ptr<ScriptedPolicy> make_noisy_policy(std::unique_ptr<ScriptedPolicy> policy,
                                                  std::unique_ptr<ActionMapper> mapper,
                                                  double noise) {
  if (!(noise >= 0 && noise <= 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("noise: expected a probability from 0 to 1, got {}", noise));
  }
  return std::make_unique<NoisyPolicy>(std::move(policy), std::move(mapper), noise);
}

}  // namespace dreamgym
