#include "dreamgym/rollout/internal/episode_player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/data/outcome.h"
#include "dreamgym/env/recording.h"

namespace dreamgym::rollout_internal {
namespace {

// While an environment may answer as well, nobody waits longer than this for a model that runs elsewhere.
constexpr std::chrono::milliseconds kGlance(2);

}  // namespace

EpisodePlayer::EpisodePlayer(const Stage& stage,
                             RolloutCost& cost,
                             std::function<void(std::size_t, Episode)> ended)
    : stage_(stage), cost_(cost), ended_(std::move(ended)), turns_(stage.agent) {}

void EpisodePlayer::play(std::span<const std::size_t> numbers) {
  const double generated_before = turns_.generation_seconds();
  waiting_ = numbers;
  places_ = std::vector<Place>(std::min(numbers.size(), stage_.options.batch_size));
  begin_in_free_places();
  while (std::ranges::any_of(places_, &Place::taken)) {
    take_answers();
    while (begin_in_free_places() && !stage_.environment.answers_later()) {
      take_answers();  // who begins at once asks with the others
    }
    ask();
    act(decide());
  }
  cost_.generation_seconds += turns_.generation_seconds() - generated_before;
}

bool EpisodePlayer::begin_in_free_places() {
  for (; !waiting_.empty() && out_of_time(); waiting_ = waiting_.subspan(1)) {
    Trajectory story = story_of(waiting_.front());
    lose(story, no_time_left());
    ended_(waiting_.front(), {std::move(story), {}});
  }
  Slots slots;
  std::vector<Task> tasks;
  std::vector<std::uint64_t> seeds;
  for (std::size_t slot = 0; slot < places_.size() && !waiting_.empty(); ++slot) {
    if (places_[slot].taken) {
      continue;
    }
    const std::size_t number = waiting_.front();
    waiting_ = waiting_.subspan(1);
    take_place(slot, number);
    slots.push_back(slot);
    tasks.push_back(stage_.tasks[number]);
    seeds.push_back(stage_.options.paired_world_seed ? stage_.tasks[number].seed
                                                     : stage_.rng.fork("world", number).next());
  }
  if (slots.empty()) {
    return false;
  }
  const Watchdog::Wait wait(stage_.options.watchdog, [&] {
    return fmt::format("the start of {} episode(s), the first of \"{}\"", tasks.size(), tasks[0].id);
  });
  const auto start = clock_.now();
  stage_.environment.submit_start(slots, tasks, seeds);
  cost_.environment_seconds += seconds_since(clock_, start);
  due_.insert(due_.end(), slots.begin(), slots.end());
  return true;
}

void EpisodePlayer::take_place(std::size_t slot, std::size_t number) {
  Place& place = places_[slot] = Place{};
  place.taken = true;
  place.number = number;
  place.start = clock_.now();
  place.story = story_of(number);
  place.mapper = stage_.mappers != nullptr ? stage_.mappers->create() : nullptr;
}

Trajectory EpisodePlayer::story_of(std::size_t number) const {
  const Task& task = stage_.tasks[number];
  Trajectory story;
  story.episode_id = fmt::format("{}#{}", task.id, number);
  story.task = task;
  story.seed = stage_.rng.fork("episode", number).next();
  story.provenance = stage_.options.provenance;
  story.policy_version = stage_.agent.version();
  story.simulator_version = stage_.options.simulator_version;
  return story;
}

void EpisodePlayer::ask() {
  const auto start = clock_.now();
  for (const std::size_t slot : ready_) {
    turns_.ask(slot, places_[slot].state, places_[slot].current.admissible);
  }
  cost_.agent_seconds += seconds_since(clock_, start);
  asked_.insert(asked_.end(), ready_.begin(), ready_.end());
  ready_.clear();
}

// Whoever has an answer goes on; nobody waits for the slowest, if that is of any use.
std::vector<TurnQueue::Decided> EpisodePlayer::decide() {
  if (turns_.idle()) {
    return {};
  }
  if (!policy_wait_) {
    policy_wait_.emplace(stage_.options.watchdog, [&] { return "the policy's actions in " + names(asked_); });
  }
  const auto start = clock_.now();
  std::vector<TurnQueue::Decided> decided =
      !stage_.environment.answers_later() ? turns_.finish()
                                          : turns_.collect(due_.empty() ? kUntilItComes : kGlance);
  cost_.agent_seconds += seconds_since(clock_, start);
  if (!decided.empty()) {
    policy_wait_.reset();
  }
  return decided;
}

void EpisodePlayer::act(std::vector<TurnQueue::Decided> decided) {
  if (decided.empty()) {
    return;
  }
  Slots slots;
  std::vector<Action> actions;
  for (TurnQueue::Decided& one : decided) {
    const auto slot = static_cast<std::size_t>(one.number);
    std::erase(asked_, slot);
    slots.push_back(slot);
    actions.push_back(one.action);
    places_[slot].action = std::move(one.action);
  }
  const Watchdog::Wait wait(stage_.options.watchdog, [&] { return "the environment's answers in " + names(slots); });
  const auto start = clock_.now();
  stage_.environment.submit(slots, actions);
  cost_.environment_seconds += seconds_since(clock_, start);
  cost_.steps += slots.size();
  due_.insert(due_.end(), slots.begin(), slots.end());
}

// Waits only if there is nothing else to do.
void EpisodePlayer::take_answers() {
  if (due_.empty()) {
    return;
  }
  const bool waits = turns_.idle() && ready_.empty();
  const Watchdog::Wait wait(waits ? stage_.options.watchdog : nullptr,
                            [&] { return "the environment's answers in " + names(due_); });
  const auto start = clock_.now();
  std::vector<SlotAnswer> answers =
      stage_.environment.collect(waits ? kUntilItComes : std::chrono::nanoseconds(0));
  cost_.environment_seconds += seconds_since(clock_, start);
  for (SlotAnswer& answer : answers) {
    const std::size_t slot = answer.slot;
    std::erase(due_, slot);
    if (const std::string failure = failure_of(slot, answer.result); !failure.empty()) {
      fail(slot, failure);
    } else if (!places_[slot].begun) {
      begin(slot, std::move(answer.result.observation));
    } else {
      record(slot, std::move(answer.result));
    }
  }
}

// Why an answer can't be used, or "".
std::string EpisodePlayer::failure_of(std::size_t slot, const StepResult& result) const {
  const std::string failure = stage_.environment.failure(slot);
  if (!failure.empty()) {
    return failure;
  }
  const Place& place = places_[slot];
  if (!place.begun) {
    return {};
  }
  if (!std::isfinite(result.reward)) {
    return fmt::format("step {} was rewarded with {}, expected a finite number",
                       place.story.steps.size() + 1,
                       result.reward);
  }
  if (result.terminated || result.truncated) {
    return {};
  }
  const RolloutOptions& options = stage_.options;
  if (options.episode_seconds > 0 && seconds_since(clock_, place.start) > options.episode_seconds) {
    return fmt::format("the episode was not over after {} s", options.episode_seconds);
  }
  return out_of_time() ? no_time_left() : "";
}

bool EpisodePlayer::out_of_time() const {
  return stage_.options.rollout_seconds > 0 &&
         seconds_since(clock_, stage_.start) > stage_.options.rollout_seconds;
}

std::string EpisodePlayer::no_time_left() const {
  return fmt::format("the iteration was not over after {} s", stage_.options.rollout_seconds);
}

void EpisodePlayer::begin(std::size_t slot, Observation first) {
  Place& place = places_[slot];
  place.begun = true;
  place.current = std::move(first);
  if (place.mapper != nullptr) {
    place.mapper->reset(place.story.task.instruction, place.current.text);
    place.current.admissible = place.mapper->candidates();
  }
  place.state = stage_.agent.begin(place.story.task.instruction,
                                   stage_.agent.prompt().shown(place.current),
                                   stage_.options.first_session + slot,
                                   place.story.seed);
  ready_.push_back(slot);
}

void EpisodePlayer::record(std::size_t slot, StepResult result) {
  Place& place = places_[slot];
  if (place.mapper != nullptr) {
    place.mapper->observe(place.action, result.observation.text);
    result.observation.admissible = place.mapper->candidates();
  }
  Trajectory& story = place.story;
  story.steps.push_back(to_transition(std::move(place.current), place.action, result));
  Transition& step = story.steps.back();
  place.current = std::move(result.observation);
  if (!step.terminated && !step.truncated) {
    stage_.agent.observe(place.state, stage_.agent.prompt().shown(place.current));
    step.truncated =
        story.steps.size() == stage_.options.max_steps || !stage_.agent.has_room(place.state);
  }
  if (step.terminated || step.truncated) {
    settle_outcome(story);
    end(slot);
  } else {
    ready_.push_back(slot);
  }
}

void EpisodePlayer::fail(std::size_t slot, const std::string& why) {
  lose(places_[slot].story, why);
  end(slot);
}

void EpisodePlayer::lose(Trajectory& story, const std::string& why) {
  settle_outcome(story);
  story.outcome = Outcome::kInfrastructureError;
  if (cost_.failed_attempts++ == 0) {
    cost_.first_failure = fmt::format("episode \"{}\": {}", story.episode_id, why);
  }
}

void EpisodePlayer::end(std::size_t slot) {
  Place& place = places_[slot];
  if (place.begun) {
    stage_.agent.finish(place.state);
  }
  cost_.ledger_branches += place.state.branches;
  place.taken = false;
  ended_(place.number, {std::move(place.story), std::move(place.state.ledgers)});
}

// Whom a wait concerns.
std::string EpisodePlayer::names(const Slots& slots) const {
  constexpr std::size_t kShown = 3;
  std::string text = fmt::format("{} episode(s): ", slots.size());
  for (std::size_t i = 0; i < std::min(kShown, slots.size()); ++i) {
    const Trajectory& story = places_[slots[i]].story;
    text += fmt::format("{}{} (step {})", i == 0 ? "" : ", ", story.episode_id, story.steps.size() + 1);
  }
  return text + (slots.size() > kShown ? ", ..." : "");
}

}  // namespace dreamgym::rollout_internal
