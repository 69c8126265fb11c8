#include "dreamgym/apps/endpoint_arguments.h"

#include <unistd.h>

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {

void add_endpoint_options(CLI::App& verb, const std::string& name, EndpointArguments& arguments) {
  EndpointConfig& config = arguments.config;
  verb.add_option("--" + name, config.urls, "URL of an OpenAI-compatible server, e.g. http://localhost:8000/v1; several share the work");
  verb.add_option("--" + name + "-model", config.model, "name the server knows the model by");
  verb.add_option("--key-variable", config.api_key_variable, "environment variable with the key; \"\" = none")->capture_default_str();
  verb.add_option("--structured", arguments.structured, "how JSON is asked for: schema, object or none")->capture_default_str();
  verb.add_option("--concurrency", config.concurrency, "requests under way at once")->capture_default_str();
  verb.add_option("--timeout", config.timeout_seconds, "seconds of one attempt")->capture_default_str();
  verb.add_option("--deadline", config.deadline_seconds, "seconds of a request with all its attempts")->capture_default_str();
  verb.add_option("--attempts", config.max_attempts, "of a request")->capture_default_str();
}

void require_model(const EndpointArguments& arguments, const std::string& name) {
  for (const std::string& url : arguments.config.urls) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("--{}: '{}' is no URL of a server", name, url),
                  "it begins with http:// or https://, e.g. http://localhost:8000/v1");
    }
  }
  if (arguments.config.model.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("--{} needs --{}-model", name, name),
                "GET URL/models lists the server's");
  }
  (void)structured_output_named(arguments.structured);
}

std::unique_ptr<EndpointChat> make_chat(const EndpointArguments& arguments, bool logprobs) {
  return std::make_unique<EndpointChat>(std::make_shared<EndpointFleet>(arguments.config),
                                        structured_output_named(arguments.structured),
                                        logprobs);
}

std::unique_ptr<EndpointWatch> watch_wire(const EndpointChat& chat) {
  constexpr std::chrono::seconds kEvery(5);
  return std::make_unique<EndpointWatch>(
      chat, kEvery, [](const std::string& line) { fmt::print(stderr, "{}{}\n", isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", line); });
}

}  // namespace dreamgym
