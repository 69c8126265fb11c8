// Requests that come, run and go at any time, side by side in one batch that never stops.
//
// Where generate() waits for its slowest request, here each joins the running ones at the next pass and
// leaves when it is done. A pass takes a part of every running request: those that decode go
// first, contexts are read in chunks in the room that is left, so a long prompt holds nobody up. A
// request that begins like one under way waits for that beginning and takes it over. Replies are
// those of generate(): they depend neither on who runs beside them nor on when they came (on a device of
// libtorch: within the rounding that generation_engine.h states).
//
// Order: of those who wait, the next to run is the first of the owner with the fewest running.
// Thread safety: submit() and cancel() may be called from any thread; step() by one at a time, and no
// other call on the engine overlaps it. Lifetime: engine and clock outlive the batch; sessions of
// running requests must not be used or released meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dreamgym/base/clock.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {

struct RunningBatchConfig {
  std::size_t max_running = 64;    ///< side by side
  std::size_t max_waiting = 1024;  ///< beyond it nothing is taken
};

/// A request and how long it is worth an answer.
struct Submission {
  GenerationRequest request;
  std::uint64_t owner = 0;  ///< whose turn it is goes by this: an episode, a client
  /// By the batch's clock; at this time the request ends with what it has said so far.
  std::optional<std::chrono::nanoseconds> deadline{};
};

class RunningBatch {
 public:
  using Ticket = std::uint64_t;
  enum class End { kReplied, kCancelled, kDeadline };
  struct Ended {
    Ticket ticket = 0;
    End end = End::kReplied;
    GenerationReply reply;  ///< whole, or what was said until it was ended
  };

  /// @throws Error kInvalidArgument for a bound of 0.
  RunningBatch(GenerationEngine& engine, RunningBatchConfig config, const Clock& clock);
  ~RunningBatch();

  /// Nothing if as many as may wait do. A request whose session is in use waits until it is free.
  /// @throws Error kInvalidArgument as generate().
  [[nodiscard]] std::optional<Ticket> submit(Submission submission);
  /// Ends it at the next step(); one that has ended is ignored.
  void cancel(Ticket ticket);
  /// One pass. Those that ended, in the order in which they were submitted.
  /// @throws Error kDiverged as generate(), and as TokenGrammar; everything that runs or waits is then
  ///         dropped.
  std::vector<Ended> step();
  /// Nobody runs or waits.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::size_t num_running() const;
  [[nodiscard]] std::size_t num_waiting() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dreamgym
