#include "dreamgym/env/environment_batch.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"

namespace dreamgym {

std::vector<Observation> EnvironmentBatch::reset(std::span<const Task> tasks,
                                                 std::span<const std::uint64_t> seeds) {
  check(tasks.size() == seeds.size(), "every task has a seed");
  answered_.clear();
  end_all();
  std::vector<std::size_t> slots(tasks.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  return start(slots, tasks, seeds);
}

void EnvironmentBatch::submit_start(std::span<const std::size_t> slots,
                                    std::span<const Task> tasks,
                                    std::span<const std::uint64_t> seeds) {
  std::vector<Observation> observations = start(slots, tasks, seeds);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    answered_.push_back({slots[i], {.observation = std::move(observations[i])}});
  }
}

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
auto SingleEnvironmentBatch::guarded(Slot& slot, const Call& call) const {
  try {
    return call(*slot.environment);
  } catch (const Error& error) {
    if (when_it_fails_ == WhenItFails::kThrow || !is_infrastructure(error.kind())) {
      throw;
    }
    slot.failure = error.what();
    slot.environment = nullptr;  // whatever state it is in, nobody plays in it again
    return decltype(call(*slot.environment)){};
  }
}

void SingleEnvironmentBatch::end_all() {
  calls_ = nullptr;  // waits for what nobody has collected
  for (Slot& slot : slots_) {
    slot.started = false;
  }
}

void SingleEnvironmentBatch::check_free(std::span<const std::size_t> slots, std::size_t num_arguments) const {
  check(slots.size() == num_arguments, "every named slot has a task and a seed, or an action");
  std::set<std::size_t> named;
  for (const std::size_t slot : slots) {
    check(named.insert(slot).second, "the slots of one call are distinct");
    check(calls_ == nullptr || !calls_->is_due(slot), "a named slot does not wait for an answer");
  }
}

void SingleEnvironmentBatch::check_steppable(std::span<const std::size_t> slots,
                                             std::span<const Action> actions) const {
  check_free(slots, actions.size());
  for (const std::size_t slot : slots) {
    check(slot < slots_.size() && slots_[slot].started, "a stepped slot was started");
    check(slots_[slot].environment != nullptr, "a stepped slot has not failed");
  }
}

void SingleEnvironmentBatch::make_ready(std::span<const std::size_t> slots) {
  for (const std::size_t number : slots) {
    while (slots_.size() <= number) {
      slots_.emplace_back();
    }
    Slot& slot = slots_[number];
    slot.started = false;
    slot.failure.clear();
    if (slot.environment == nullptr) {
      slot.environment = factory_();
    }
  }
}

std::vector<Observation> SingleEnvironmentBatch::start(std::span<const std::size_t> slots,
                                                       std::span<const Task> tasks,
                                                       std::span<const std::uint64_t> seeds) {
  check_free(slots, tasks.size());
  check(tasks.size() == seeds.size(), "every task has a seed");
  make_ready(slots);
  std::vector<Observation> observations = parallel_map(slots.size(), num_threads_, [&](std::size_t i) {
    return guarded(slots_[slots[i]],
                   [&](Environment& environment) { return environment.reset(tasks[i], seeds[i]); });
  });
  for (const std::size_t slot : slots) {  // an exception leaves none of them started
    slots_[slot].started = true;
  }
  return observations;
}

std::vector<StepResult> SingleEnvironmentBatch::step(std::span<const std::size_t> slots,
                                                     std::span<const Action> actions) {
  check_steppable(slots, actions);
  return parallel_map(slots.size(), num_threads_, [&](std::size_t i) {
    return guarded(slots_[slots[i]],
                   [&](Environment& environment) { return environment.step(actions[i]); });
  });
}

void SingleEnvironmentBatch::submit_start(std::span<const std::size_t> slots,
                                          std::span<const Task> tasks,
                                          std::span<const std::uint64_t> seeds) {
  check_free(slots, tasks.size());
  check(tasks.size() == seeds.size(), "every task has a seed");
  make_ready(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots_[slots[i]].started = true;
    run_later(slots[i], [task = tasks[i], seed = seeds[i]](Environment& environment) {
      return StepResult{.observation = environment.reset(task, seed)};
    });
  }
}

void SingleEnvironmentBatch::submit(std::span<const std::size_t> slots, std::span<const Action> actions) {
  check_steppable(slots, actions);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    run_later(slots[i],
              [action = actions[i]](Environment& environment) { return environment.step(action); });
  }
}

void SingleEnvironmentBatch::run_later(std::size_t slot, std::function<StepResult(Environment&)> call) {
  if (calls_ == nullptr) {
    calls_ = std::make_unique<RunningCalls<StepResult>>(num_threads_);
  }
  calls_->start(slot, [this, &place = slots_[slot], call = std::move(call)] { return guarded(place, call); });
}

std::vector<SlotAnswer> SingleEnvironmentBatch::collect(std::chrono::nanoseconds patience) {
  std::vector<SlotAnswer> answers;
  if (calls_ != nullptr) {
    for (auto& ended : calls_->collect(patience)) {
      answers.push_back({static_cast<std::size_t>(ended.number), std::move(ended.result)});
    }
  }
  return answers;
}

std::string SingleEnvironmentBatch::failure(std::size_t slot) const {
  check(slot < slots_.size() && slots_[slot].started, "a slot that was started");
  return slots_[slot].failure;
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
