// Where tests find other people's models and reference answers. Absent: the test is skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"

namespace dreamgym {

/// $DREAMGYM_DATA or ../shared/data beside the sources, then "lm".
inline Path language_model_data() {
  const char* given = std::getenv("DREAMGYM_DATA");  // NOLINT(concurrency-mt-unsafe): tests
  return (given != nullptr ? Path(given) : Path(DREAMGYM_SOURCE_DIR) / "../shared/data") / "lm";
}

/// What tools/fetch_models.sh has fetched: $DREAMGYM_CACHE or ~/.cache/dreamgym, then "models".
inline Path fetched_models() {
  const char* cache = std::getenv("DREAMGYM_CACHE");  // NOLINT(concurrency-mt-unsafe): tests
  const char* home = std::getenv("HOME");             // NOLINT(concurrency-mt-unsafe): tests
  return (cache != nullptr ? Path(cache) : Path(home == nullptr ? "" : home) / ".cache/dreamgym") /
         "models";
}

inline nlohmann::json read_json(const Path& path) {
  return nlohmann::json::parse(read_file(path));
}

}  // namespace dreamgym

/// Skips the test where the file is not there.
#define DREAMGYM_NEEDS_FILE(path)                      \
  if (!std::filesystem::exists(path)) {                \
    GTEST_SKIP() << (path).string() << " is not here"; \
  }
