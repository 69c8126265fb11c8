// The flags of verbs that ask an OpenAI-compatible server, and what they make.
#pragma once

#include <memory>
#include <string>

#include "dreamgym/apps/endpoint_watch.h"
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

/// @throws Error kInvalidArgument if the server is named and its model is not, or --structured is unknown.
/// @param name  as in add_endpoint_options.
void require_model(const EndpointArguments& arguments, const std::string& name);

/// @throws Error as EndpointFleet and structured_output_named.
std::unique_ptr<EndpointChat> make_chat(const EndpointArguments& arguments, bool logprobs);

/// Says on stderr, every few seconds while it lives, what fails on the wire.
std::unique_ptr<EndpointWatch> watch_wire(const EndpointChat& chat);

}  // namespace dreamgym
