// Runs the binary as a person would.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "tests/temporary_folder.h"

namespace dreamgym {

struct Ran {
  int code = 0;
  std::string out;     // stdout
  std::string errors;  // stderr
};

/// @param input  what stands on its standard input; "" = whatever ours is.
inline Ran run(const std::string& arguments, const std::string& input = "") {
  const TemporaryFolder folder;
  const std::string errors = (folder.path() / "stderr").string();
  std::string command = std::string(DREAMGYM_BINARY) + " " + arguments + " 2>" + errors;
  if (!input.empty()) {
    write_file(folder.path() / "stdin", input);
    command += " <" + (folder.path() / "stdin").string();
  }
  std::FILE* pipe = ::popen(command.c_str(), "r");
  Ran ran;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.out.append(buffer.data(), n);
  }
  ran.code = WEXITSTATUS(::pclose(pipe));
  ran.errors = read_file(errors);
  return ran;
}

inline std::vector<nlohmann::json> lines(const std::string& text) {
  std::vector<nlohmann::json> out;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) {
      out.push_back(nlohmann::json::parse(line));
    }
  }
  return out;
}

}  // namespace dreamgym
