#include "dreamgym/agent/turn_queue.h"

#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {

TurnQueue::TurnQueue(const TokenAgent& agent) : agent_(agent), queue_(agent.open_queue()) {}

void TurnQueue::ask(std::uint64_t number, AgentEpisode& episode, std::span<const std::string> candidates) {
  GenerationRequest request = agent_.request(episode, candidates);
  check(turns_.emplace(number, Turn{&episode, request.choices}).second, "an episode has one turn at a time");
  queue_->submit(number, std::move(request));
}

std::vector<TurnQueue::Decided> TurnQueue::collect(std::chrono::nanoseconds patience) {
  const auto start = clock_.now();
  std::vector<GenerationQueue::Ended> ended = queue_->collect(patience);
  generation_seconds_ += seconds_since(clock_, start);
  return take(std::move(ended));
}

std::vector<TurnQueue::Decided> TurnQueue::finish() {
  const auto start = clock_.now();
  std::vector<GenerationQueue::Ended> ended = queue_->finish();
  generation_seconds_ += seconds_since(clock_, start);
  return take(std::move(ended));
}

std::vector<TurnQueue::Decided> TurnQueue::take(std::vector<GenerationQueue::Ended> ended) {
  std::vector<Decided> decided;
  for (const GenerationQueue::Ended& one : ended) {
    const Turn turn = std::move(turns_.extract(one.ticket).mapped());
    decided.push_back({one.ticket, agent_.take(*turn.episode, turn.choices.get(), one.reply)});
  }
  return decided;
}

}  // namespace dreamgym
