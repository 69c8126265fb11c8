// What can still be read of a damaged experience store, into a new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace dreamgym {

struct Salvage {
  std::size_t kept = 0;          ///< transitions in the new store
  std::size_t bad_rows = 0;      ///< read, but their checksum does not fit: left out
  std::size_t unreadable = 0;    ///< places in the file where reading failed; each may have cost several rows
  std::string first_problem;     ///< without a hint; "" if there was none
};

/// Reads the damaged file row by row, past what can't be read, and adds every live transition whose checksum fits.
/// @param target  must not be there yet. @throws Error kInvalidArgument if it is; kCorrupt if the damaged file is no
///                SQLite database any more (its head is gone); kNotFound if it is not there.
Salvage salvage_store(const std::filesystem::path& damaged, const std::filesystem::path& target);

}  // namespace dreamgym
