// The option that every benchmark with a peer in Python takes beside those of the benchmark library.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dreamgym {

/// Takes --peer=PYTHON out of the arguments, which the library would refuse. "" = not given.
inline std::string take_peer(int& argc, char** argv) {
  constexpr std::string_view kPeer = "--peer=";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kPeer)) {
      std::string python = argv[i] + kPeer.size();
      std::rotate(argv + i, argv + i + 1, argv + argc);
      --argc;
      return python;
    }
  }
  return "";
}

}  // namespace dreamgym
