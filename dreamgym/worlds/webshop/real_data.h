// Where tests and benchmarks find real WebShop files; they skip what is not there.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace dreamgym::webshop {

/// $DREAMGYM_DATA or ../shared/data beside the sources, then "webshop".
inline std::filesystem::path real_data_folder() {
  const char* folder = std::getenv("DREAMGYM_DATA");  // NOLINT(concurrency-mt-unsafe): tests
  return (folder != nullptr
              ? std::filesystem::path(folder)
              : std::filesystem::path(DREAMGYM_SOURCE_DIR) / ".." / "shared" / "data") /
         "webshop";
}

}  // namespace dreamgym::webshop
