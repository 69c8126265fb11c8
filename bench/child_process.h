// Measuring in a process of its own, since peak memory is a process's.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

/// Largest resident size of this process so far.
inline std::size_t peak_bytes() {
  std::size_t kilobytes = 0;
  for_each_line("/proc/self/status", [&](std::size_t, std::string_view line) {
    if (!consume_prefix(line, "VmHWM:")) {
      return true;
    }
    kilobytes = std::stoul(std::string(trim(line)));
    return false;
  });
  return kilobytes << 10U;
}

inline std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

/// The JSON line that a shell command prints; prints it too.
/// @throws Error kIo if the command fails or prints something else.
inline nlohmann::json json_line_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a benchmark's own programs
  check(pipe != nullptr, "a process can be started");
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    line.push_back(static_cast<char>(c));
  }
  const bool worked = pclose(pipe) == 0;
  fmt::print("{}", line);
  std::fflush(stdout);
  nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!worked || json.is_discarded()) {
    throw Error(ErrorKind::kIo, "failed: " + command, "its own message stands above");
  }
  return json;
}

/// {"name": way, "speed": ours / peer's, "memory": the same} of two lines with tokens_per_second and
/// peak_bytes.
inline void print_ratios(const std::string& way, const nlohmann::json& ours, const nlohmann::json& peer) {
  fmt::print("{}\n",
             nlohmann::ordered_json{
                 {"name", way + ", ours / PyTorch"},
                 {"speed",
                  fmt::format("{:.2f}",
                              ours.at("tokens_per_second").get<double>() /
                                  peer.at("tokens_per_second").get<double>())},
                 {"memory",
                  fmt::format("{:.2f}",
                              ours.at("peak_bytes").get<double>() / peer.at("peak_bytes").get<double>())}}
                 .dump());
}

}  // namespace dreamgym
