// Where tests and benchmarks find real ALFWorld files; they skip what is not there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace dreamgym::alfworld {

/// $DREAMGYM_DATA or ../shared/data beside the sources, then "alfworld".
inline std::filesystem::path real_data_folder() {
  const char* folder = std::getenv("DREAMGYM_DATA");  // NOLINT(concurrency-mt-unsafe): tests
  return (folder != nullptr
              ? std::filesystem::path(folder)
              : std::filesystem::path(DREAMGYM_SOURCE_DIR) / ".." / "shared" / "data") /
         "alfworld";
}

inline std::filesystem::path real_split_folder(const std::string& split) {
  return split == "games_2020" ? real_data_folder() / "games_2020" / "train"
                               : real_data_folder() / "games" / split;
}

}  // namespace dreamgym::alfworld
