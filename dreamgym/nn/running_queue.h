// The generation engine's running batch as a queue of requests: what rollouts ask.
//
// Thread safety and lifetime: as GenerationQueue.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/llm/generation_queue.h"
#include "dreamgym/nn/running_batch.h"

namespace dreamgym {

class RunningQueue final : public GenerationQueue {
 public:
  explicit RunningQueue(GenerationEngine& engine);

  void submit(std::uint64_t ticket, GenerationRequest request) override;
  /// A pass of the batch.
  std::vector<Ended> collect(std::chrono::nanoseconds patience) override;
  /// Where nothing has begun yet this is generate(): its threads then run apart to the end.
  std::vector<Ended> finish() override;
  [[nodiscard]] bool idle() const override { return fresh_.empty() && under_way_.empty(); }

 private:
  GenerationEngine& engine_;
  SteadyClock clock_;
  RunningBatch batch_;
  std::map<std::uint64_t, GenerationRequest> fresh_;          // by ticket: not in the batch yet
  std::map<RunningBatch::Ticket, std::uint64_t> under_way_;  // the caller's tickets by the batch's
};

}  // namespace dreamgym
