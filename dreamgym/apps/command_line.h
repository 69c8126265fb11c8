// The one binary: `dreamgym <verb>`. Results on stdout, progress and errors on stderr.
#pragma once

namespace dreamgym {

/// @return exit code: 0 ok, 1 failure, 2 usage.
int run_command_line(int argc, char** argv);

}  // namespace dreamgym
