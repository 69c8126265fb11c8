// Who dreams, besides the model a run trains: an OpenAI-compatible server, and what is asked where a dream is unsure.
#pragma once

#include <string>
#include <vector>

#include "dreamgym/experience/fallback_dream.h"
#include "dreamgym/experience/prompted_experience.h"
#include "dreamgym/llm/endpoint/endpoint_fleet.h"

namespace dreamgym {

/// Section experience.endpoint: with a URL the server dreams and varies tasks, and no experience model is trained.
struct DreamEndpointConfig {
  EndpointConfig server;             ///< no URL = there is none
  std::string structured = "schema"; ///< how JSON is asked for
  bool logprobs = false;             ///< ask for them: they are the dream's confidence
  std::string description;           ///< text file: what the tool is and does
  /// What the sections experience and task_generator don't say. The rest of these options comes from there.
  PromptedOptions prompt;
};

enum class FallbackTo {
  kNone,
  kReality,   ///< the world's engine, where the dreamed episode is real so far
  kEndpoint,  ///< the server of experience.endpoint; the native model dreams
};

/// Section experience.fallback.
struct DreamFallbackConfig {
  FallbackTo ask = FallbackTo::kNone;
  FallbackOptions options;
  std::size_t budget = 1000;         ///< real steps, or questions, of each stage that dreams
};

}  // namespace dreamgym
