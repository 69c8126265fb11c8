#include "dreamgym/agent/turn_queue.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {

TurnQueue::TurnQueue(const TokenAgent& agent) : agent_(agent), queue_(agent.open_queue()) {}

void TurnQueue::ask(std::uint64_t number, AgentEpisode& episode, std::span<const std::string> candidates) {
  const auto [turn, fresh] = turns_.emplace(number, Turn{&episode, {}, nullptr});
  check(fresh, "an episode has one turn at a time");
  if (agent_.prompt().thought_form() != nullptr) {
    turn->second.candidates.assign(candidates.begin(), candidates.end());
  }
  submit(number, turn->second, candidates);
}

void TurnQueue::submit(std::uint64_t number, Turn& turn, std::span<const std::string> candidates) {
  GenerationRequest request = agent_.request(*turn.episode, candidates);
  turn.choices = request.choices;
  queue_->submit(number, std::move(request));
}

std::vector<TurnQueue::Decided> TurnQueue::collect(std::chrono::nanoseconds patience) {
  const auto start = clock_.now();
  std::vector<GenerationQueue::Ended> ended = queue_->collect(patience);
  generation_seconds_ += seconds_since(clock_, start);
  return take(std::move(ended));
}

std::vector<TurnQueue::Decided> TurnQueue::finish() {
  std::vector<Decided> decided;
  while (!idle()) {
    const auto start = clock_.now();
    std::vector<GenerationQueue::Ended> ended = queue_->finish();
    generation_seconds_ += seconds_since(clock_, start);
    std::ranges::move(take(std::move(ended)), std::back_inserter(decided));
  }
  std::ranges::sort(decided, {}, &Decided::number);
  return decided;
}

std::vector<TurnQueue::Decided> TurnQueue::take(std::vector<GenerationQueue::Ended> ended) {
  std::vector<Decided> decided;
  for (const GenerationQueue::Ended& one : ended) {
    Turn& turn = turns_.at(one.ticket);
    std::optional<Action> action = agent_.take(*turn.episode, turn.choices.get(), one.reply);
    if (action) {
      turns_.erase(one.ticket);
      decided.push_back({one.ticket, std::move(*action)});
    } else {
      submit(one.ticket, turn, turn.candidates);
    }
  }
  return decided;
}

}  // namespace dreamgym
