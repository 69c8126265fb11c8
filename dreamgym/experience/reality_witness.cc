#include "dreamgym/experience/reality_witness.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/env/recording.h"
#include "dreamgym/experience/internal/dreamed_task.h"

namespace dreamgym {

RealityWitness::RealityWitness(Factory make, Explain explain, std::uint64_t step_budget)
    : make_(std::move(make)), explain_(std::move(explain)), step_budget_(step_budget) {}

void RealityWitness::end_all() { slots_.clear(); }

std::vector<Observation> RealityWitness::start(std::span<const std::size_t> slots,
                                               std::span<const Task> tasks,
                                               std::span<const std::uint64_t> seeds) {
  check(slots.size() == tasks.size() && tasks.size() == seeds.size(), "one task and one seed per slot");
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot slot;
    slot.story.task = tasks[i];
    slot.opening = experience_internal::first_observation(tasks[i]);
    // A variation's goal is known to no engine.
    slot.parted = tasks[i].parent_task.empty() ? "" : "the task was generated, no engine knows its goal";
    observations.push_back({slot.opening, {}});
    put_in_slot(slots_, slots[i], std::move(slot));
  }
  return observations;
}

std::vector<StepResult> RealityWitness::propose(std::span<const std::size_t> slots,
                                                std::span<const Action> actions) {
  check(slots.size() == actions.size(), "one action per slot");
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    check(slots[i] < slots_.size(), "a slot that was started");
    results.push_back(answer(slots_[slots[i]], actions[i]));
  }
  return results;
}

bool RealityWitness::follow(Slot& slot, std::string& reason) {
  if (!slot.parted.empty()) {
    reason = slot.parted;
    return false;
  }
  const std::uint64_t needed = slot.story.steps.size() - slot.taken + 1;
  if (real_steps_ + needed > step_budget_) {
    reason = "the budget of real steps is used up";
    return false;
  }
  if (slot.environment == nullptr) {
    slot.environment = make_();
    slot.taken = 0;
    const Observation first = slot.environment->reset(slot.story.task, slot.story.task.seed);
    if (first.text != slot.opening) {
      slot.parted = "reality starts from another observation";
    }
  }
  while (slot.parted.empty() && slot.taken < slot.story.steps.size()) {
    const Transition& step = slot.story.steps[slot.taken];
    const StepResult real = slot.environment->step(step.action);
    ++real_steps_;
    ++slot.taken;
    if (real.observation.text != step.next_observation.text || real.terminated || real.truncated) {
      slot.parted = fmt::format("reality went another way at step {}", slot.taken);
    }
  }
  if (!slot.parted.empty()) {
    slot.environment.reset();
    reason = slot.parted;
    return false;
  }
  return true;
}

StepResult RealityWitness::answer(Slot& slot, const Action& action) {
  StepResult result;
  std::string reason;
  check(!slot.ahead, "a proposal is committed before the next");
  if (!follow(slot, reason)) {
    result.info[dream_info::kNoAnswer] = reason;
    return result;
  }
  result = slot.environment->step(action);
  ++real_steps_;
  result.confidence = 1.0;
  slot.ahead = result;
  explain(slot, action, result);
  return result;
}

void RealityWitness::explain(const Slot& slot, const Action& action, StepResult& result) const {
  if (!explain_) {
    return;
  }
  Trajectory story = slot.story;
  const Observation before =
      story.steps.empty() ? Observation{slot.opening, {}} : story.steps.back().next_observation;
  story.steps.push_back(to_transition(before, action, result));
  explain_(story);
  result.reasoning_trace = story.steps.back().reasoning_trace;
}

void RealityWitness::commit(std::span<const std::size_t> slots,
                            std::span<const Action> actions,
                            std::span<const StepResult> results) {
  check(slots.size() == actions.size() && slots.size() == results.size(), "one action and one result per slot");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots_[slots[i]];
    const Observation before =
        slot.story.steps.empty() ? Observation{slot.opening, {}} : slot.story.steps.back().next_observation;
    slot.story.steps.push_back(to_transition(before, actions[i], results[i]));
    if (slot.ahead) {  // reality has taken the action already
      ++slot.taken;
      const bool is_over = slot.ahead->terminated || slot.ahead->truncated;  // there, whatever the dream makes of it
      if (is_over || slot.ahead->observation.text != results[i].observation.text) {
        slot.parted = fmt::format("reality went another way at step {}", slot.taken);
        slot.environment.reset();
      }
      slot.ahead.reset();
    }
  }
}

}  // namespace dreamgym
