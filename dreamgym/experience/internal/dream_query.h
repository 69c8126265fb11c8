// One step of one episode while it is being dreamed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/experience_model.h"

namespace dreamgym {

namespace experience_internal {
// Of a reply that is asked for again because the greedy one contradicted what was shown.
inline constexpr double kRetryTemperature = 1.0;
}  // namespace experience_internal

struct ExperienceModel::Query {
  std::size_t slot = 0;
  Action action;
  std::vector<std::string> demonstrations;  // ids
  bool knows_place = false;                 // one of them is of the very place
  std::vector<TokenId> context;             // trunk + tail + reply so far
  std::vector<TokenId> reply;
  std::optional<ReasoningTrace> trace;      // once dreamed, if it is one
  std::vector<float> logprobs;              // [reply.size()]

  /// Contents nobody has seen yet.
  [[nodiscard]] bool shows_hidden() const {
    return trace && trace->find("effect") == effects::kNew;
  }
};

}  // namespace dreamgym
