#include "dreamgym/env/environment_batch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/env/internal/running_calls.h"

namespace dreamgym {

void EnvironmentBatch::submit(std::span<const std::size_t> slots, std::span<const Action> actions) {
  std::vector<StepResult> results = step(slots, actions);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    answered_.push_back({slots[i], std::move(results[i])});
  }
}

std::vector<SlotAnswer> EnvironmentBatch::collect(std::chrono::nanoseconds /*patience*/) {
  std::ranges::sort(answered_, {}, &SlotAnswer::slot);
  return std::exchange(answered_, {});
}

namespace {

void check_slots(std::span<const std::size_t> slots, std::size_t num_slots) {
  std::vector<bool> named(num_slots, false);
  for (const std::size_t slot : slots) {
    check(slot < num_slots, "a stepped slot was reset");
    check(!named[slot], "the slots of one step are distinct");
    named[slot] = true;
  }
}

bool is_infrastructure(ErrorKind kind) {
  return kind == ErrorKind::kIo || kind == ErrorKind::kBusy || kind == ErrorKind::kDiverged;
}

}  // namespace

SingleEnvironmentBatch::SingleEnvironmentBatch(Factory factory,
                                               std::size_t num_threads,
                                               WhenItFails when_it_fails)
    : factory_(std::move(factory)), num_threads_(num_threads), when_it_fails_(when_it_fails) {}

SingleEnvironmentBatch::~SingleEnvironmentBatch() = default;

template <class Call>
auto SingleEnvironmentBatch::guarded(std::size_t slot, const Call& call) {
  try {
    return call(*environments_[slot]);
  } catch (const Error& error) {
    if (when_it_fails_ == WhenItFails::kThrow || !is_infrastructure(error.kind())) {
      throw;
    }
    failures_[slot] = error.what();
    environments_[slot] = nullptr;  // whatever state it is in, nobody plays in it again
    return decltype(call(*environments_[slot])){};
  }
}

std::vector<Observation> SingleEnvironmentBatch::reset(std::span<const Task> tasks,
                                                       std::span<const std::uint64_t> seeds) {
  check(tasks.size() == seeds.size(), "every task has a seed");
  calls_ = nullptr;  // waits for what nobody has collected
  num_slots_ = 0;  // an exception leaves no half-started batch
  environments_.resize(std::max(environments_.size(), tasks.size()));
  for (std::size_t slot = 0; slot < tasks.size(); ++slot) {
    if (environments_[slot] == nullptr) {
      environments_[slot] = factory_();
    }
  }
  failures_.assign(tasks.size(), "");
  std::vector<Observation> observations =
      parallel_map(tasks.size(), num_threads_, [&](std::size_t slot) {
        return guarded(slot, [&](Environment& environment) {
          return environment.reset(tasks[slot], seeds[slot]);
        });
      });
  num_slots_ = tasks.size();
  return observations;
}

std::vector<StepResult> SingleEnvironmentBatch::step(std::span<const std::size_t> slots,
                                                     std::span<const Action> actions) {
  check_steppable(slots, actions);
  return parallel_map(slots.size(), num_threads_, [&](std::size_t i) {
    return guarded(slots[i],
                   [&](Environment& environment) { return environment.step(actions[i]); });
  });
}

void SingleEnvironmentBatch::check_steppable(std::span<const std::size_t> slots,
                                             std::span<const Action> actions) const {
  check(slots.size() == actions.size(), "every stepped slot has an action");
  check_slots(slots, num_slots_);
  for (const std::size_t slot : slots) {
    check(calls_ == nullptr || !calls_->is_due(slot), "a stepped slot does not wait for an answer");
    check(environments_[slot] != nullptr, "a stepped slot has not failed");
  }
}

void SingleEnvironmentBatch::submit(std::span<const std::size_t> slots, std::span<const Action> actions) {
  check_steppable(slots, actions);
  if (calls_ == nullptr) {
    calls_ = std::make_unique<env_internal::RunningCalls>(num_threads_);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    calls_->start(slots[i], [this, slot = slots[i], action = actions[i]] {
      return guarded(slot, [&](Environment& environment) { return environment.step(action); });
    });
  }
}

std::vector<SlotAnswer> SingleEnvironmentBatch::collect(std::chrono::nanoseconds patience) {
  return calls_ == nullptr ? std::vector<SlotAnswer>() : calls_->collect(patience);
}

std::string SingleEnvironmentBatch::failure(std::size_t slot) const {
  check(slot < num_slots_, "a slot that was reset");
  return failures_[slot];
}

BatchedEnvironment::BatchedEnvironment(std::unique_ptr<EnvironmentBatch> batch)
    : batch_(std::move(batch)) {
  check(batch_ != nullptr, "a batched environment has a batch");
}

Observation BatchedEnvironment::reset(const Task& task, std::uint64_t seed) {
  running_ = false;
  std::vector<Observation> observations = batch_->reset(std::span(&task, 1), std::span(&seed, 1));
  check(observations.size() == 1, "a batch answers every slot");
  running_ = true;
  return std::move(observations.front());
}

StepResult BatchedEnvironment::step(const Action& action) {
  check(running_, "step() comes after reset() and before the episode's end");
  constexpr std::array<std::size_t, 1> kSlot = {0};
  std::vector<StepResult> results = batch_->step(kSlot, std::span(&action, 1));
  check(results.size() == 1, "a batch answers every slot");
  running_ = !results.front().terminated && !results.front().truncated;
  return std::move(results.front());
}

}  // namespace dreamgym
