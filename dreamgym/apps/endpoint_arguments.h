// The flags of verbs that ask an OpenAI-compatible server, and what they make.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/llm/endpoint/endpoint_chat.h"

namespace CLI {
class App;
}

namespace dreamgym {

struct EndpointArguments {
  EndpointConfig config;
  std::string structured = "schema";
};

/// Adds --<name> URL..., --model and the rest. @param name  e.g. "teacher".
void add_endpoint_options(CLI::App& verb, const std::string& name, EndpointArguments& arguments);

/// @throws Error as EndpointFleet and structured_output_named.
std::unique_ptr<EndpointChat> make_chat(const EndpointArguments& arguments, bool logprobs);

}  // namespace dreamgym
