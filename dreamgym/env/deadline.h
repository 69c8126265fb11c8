// An environment whose every answer must come in time.
//
// Each call runs on a thread of its own; one that takes longer is given up: the thread and the
// environment live on until the call returns, if it ever does, and nobody waits for them.
// Thread safety: as Environment.
#pragma once

#include <memory>

#include "dreamgym/env/environment.h"

namespace dreamgym {

class DeadlineEnvironment final : public Environment {
 public:
  /// @param seconds  > 0, allowed for each reset() and step().
  DeadlineEnvironment(std::unique_ptr<Environment> inner, double seconds);
  ~DeadlineEnvironment() override;

  /// @throws Error kIo when the deadline has passed, now and at every later call; whatever the
  ///         inner environment throws.
  Observation reset(const Task& task, std::uint64_t seed) override;
  StepResult step(const Action& action) override;

 private:
  struct Worker;

  template <class Call>
  auto in_time(const char* what, Call call);

  std::shared_ptr<Worker> worker_;  // shared with its thread
  double seconds_;
};

}  // namespace dreamgym
