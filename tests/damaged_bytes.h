// Bytes that were right once: for tests that a reader of files answers any damage with an Error.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {

/// A few random damages: flipped bits, lost or doubled pieces, large numbers, an early end.
inline std::string damaged(std::string bytes, Rng& rng) {
  for (std::uint64_t left = 1 + rng.below(4); left > 0 && !bytes.empty(); --left) {
    // Headers are what is interesting, so half of the damages hit the beginning.
    const std::size_t reach = rng.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 256)
                                                : bytes.size();
    const std::size_t at = rng.below(reach);
    const std::size_t length = std::min<std::size_t>(1 + rng.below(16), bytes.size() - at);
    switch (rng.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 3:
        bytes.replace(at, length, std::string(length, '\xff'));
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes[at] = static_cast<char>(rng.below(256));
        break;
    }
  }
  return bytes;
}

/// A file for one round; unlike write_file() it waits for no disk.
inline void write_quickly(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Calls `read` with many damaged versions; whatever it throws must be an Error.
/// $DREAMGYM_FUZZ_ROUNDS sets their number for a long run.
inline void expect_errors_only(const std::string& bytes,
                               const std::function<void(const std::string&)>& read) {
  const char* wanted = std::getenv("DREAMGYM_FUZZ_ROUNDS");  // NOLINT(concurrency-mt-unsafe): tests
  const std::uint64_t rounds = wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
  int num_refused = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Rng rng = Rng(1).fork("damage", round);
    const std::string broken = damaged(bytes, rng);
    try {
      read(broken);
    } catch (const Error&) {
      ++num_refused;
    } catch (const std::exception& other) {
      ADD_FAILURE() << "round " << round << ": " << other.what();
      return;
    }
  }
  EXPECT_GT(num_refused, 0) << "some damage must have been seen";
}

}  // namespace dreamgym
