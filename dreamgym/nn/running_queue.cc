#include "dreamgym/nn/running_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// The caller bounds what it asks; sessions take the memory, whether they run or wait.
constexpr RunningBatchConfig kUnbounded = {.max_running = 1U << 30U, .max_waiting = 1U << 30U};

}  // namespace

RunningQueue::RunningQueue(GenerationEngine& engine) : engine_(engine), batch_(engine, kUnbounded, clock_) {}

void RunningQueue::submit(std::uint64_t ticket, GenerationRequest request) {
  check(fresh_.emplace(ticket, std::move(request)).second, "the tickets under way are distinct");
}

std::vector<GenerationQueue::Ended> RunningQueue::collect(std::chrono::nanoseconds /*patience*/) {
  std::map<std::uint64_t, GenerationRequest> fresh = std::exchange(fresh_, {});
  for (auto& [ticket, request] : fresh) {
    const auto taken = batch_.submit({std::move(request), ticket, std::nullopt});
    check(taken.has_value(), "an unbounded batch takes every request");
    under_way_.emplace(*taken, ticket);
  }
  std::vector<Ended> ended;
  if (under_way_.empty()) {
    return ended;
  }
  for (RunningBatch::Ended& one : batch_.step()) {
    ended.push_back({under_way_.extract(one.ticket).mapped(), std::move(one.reply)});
  }
  std::ranges::sort(ended, {}, &Ended::ticket);
  return ended;
}

std::vector<GenerationQueue::Ended> RunningQueue::finish() {
  if (under_way_.empty()) {
    return generate_all(engine_, std::exchange(fresh_, {}));
  }
  std::vector<Ended> ended;
  while (!idle()) {
    std::ranges::move(collect({}), std::back_inserter(ended));
  }
  std::ranges::sort(ended, {}, &Ended::ticket);
  return ended;
}

}  // namespace dreamgym
