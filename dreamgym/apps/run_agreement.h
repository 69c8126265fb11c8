// Dream against reality, policy by policy: does the dream put a run's policies in the order reality does?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/eval/statistics.h"

namespace dreamgym {

struct AgreementRequest {
  Path run;
  std::vector<std::string> policies;  ///< of RUN/models; empty = every one there
  std::size_t episodes = 96;          ///< tasks, from the training split: the places the dream has read about
  std::size_t threads = 2;
  Path episodes_file{};               ///< what was played, dreamed and real, is written to it; empty = not kept
};

struct PolicyAgreement {
  std::string policy;
  Estimate dreamed;
  Estimate real;
  Estimate gap;  ///< dreamed - real, paired by task
};

struct RunAgreement {
  std::vector<PolicyAgreement> policies;
  /// Pearson's, of dreamed and real success over the policies; nothing for fewer than four, or if all are equal.
  std::optional<Estimate> correlation;
  double mean_absolute_gap = 0;
};

/// Every policy plays the same tasks with the same streams in the run's dream and in its world.
/// @throws Error kNotFound if the run has no dream or no such policy; kInvalidArgument if it has no world.
RunAgreement measure_agreement(const AgreementRequest& request, ProgressSink& progress);

/// For people.
std::string agreement_table(const RunAgreement& agreement);
/// One JSON object.
std::string agreement_json(const RunAgreement& agreement);

}  // namespace dreamgym
