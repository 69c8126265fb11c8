// A conversation in the terminal.
#pragma once

#include <iosfwd>
#include <string>

#include "dreamgym/apps/lm/model_doors.h"

namespace dreamgym::lm {

struct ReplOptions {
  std::string system;  ///< first message; "" = none
  double temperature = 0.7;
  std::uint64_t seed = 0;
  std::size_t max_tokens = 256;  ///< of a reply
};

/// Reads a message a line and says the replies as they come, until the input ends. The cache keeps
/// what has been read: a turn costs only its own tokens.
void chat_repl(ModelDoors& model, const ReplOptions& options, std::istream& in, std::ostream& out);

}  // namespace dreamgym::lm
