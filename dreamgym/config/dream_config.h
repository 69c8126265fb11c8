// Who dreams, besides the model a run trains: an OpenAI-compatible server or a pretrained chat model that runs here, and
// what is asked where a dream is unsure.
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

/// Section experience.model: with a path this model dreams and varies tasks, asked in messages as a server would be, its
/// replies held to their JSON Schema. No experience model is trained.
struct DreamModelConfig {
  std::string path;                  ///< folder in Hugging Face's layout or .gguf file; "" = none
  std::string chat_template;         ///< "" = the one the model's own template is
  std::string description;           ///< text file: what the tool is and does
  std::string weights = "fp32";      ///< numbers whoever dreams computes with: fp32, bf16 or int8
  std::string cache = "fp32";        ///< their keys and values: fp32, bf16 or int16
  /// As in DreamEndpointConfig.
  PromptedOptions prompt = {.max_demonstration_bytes = 400,
                            .history_bytes = 8000,
                            .max_reply_tokens = 512,
                            .max_field_characters = 120,
                            .max_state_characters = 400};
};

enum class FallbackTo {
  kNone,
  kReality,   ///< the world's engine, where the dreamed episode is real so far
  kEndpoint,  ///< the server of experience.endpoint; the model of this machine dreams
};

/// Section experience.fallback.
struct DreamFallbackConfig {
  FallbackTo ask = FallbackTo::kNone;
  FallbackOptions options;
  std::size_t budget = 1000;         ///< real steps, or questions, of each stage that dreams
};

}  // namespace dreamgym
