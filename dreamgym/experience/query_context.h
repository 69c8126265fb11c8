// What stands between the history and a query: the part of the prompt that is rolled back after the step.
//
// Retrieved demonstrations first, then what the episode itself has shown of the action's things
// (recollection.h), then, by option, the task once more: a small model that has to say what was wanted
// can't copy it from the far end of the history.
// Pure functions. Thread safety: reentrant.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/experience/recollection.h"

namespace dreamgym {

struct QueryContextOptions {
  std::size_t num_recollections = 6;
  bool remind = false;  ///< of the task, and of the place where the action happens if it names no thing
};

std::vector<TokenId> query_context(const ExperiencePrompt& prompt,
                                   std::span<const Demonstration> retrieved,
                                   std::span<const PastStep> past,
                                   std::string_view instruction,
                                   std::string_view action,
                                   const QueryContextOptions& options);

/// Room to keep for recollections and reminder, tokens.
std::size_t query_context_reserve(const QueryContextOptions& options);

}  // namespace dreamgym
