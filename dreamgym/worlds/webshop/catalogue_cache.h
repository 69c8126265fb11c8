// A parsed catalogue kept on the disk: read once from the benchmark's files, mapped ever after.
//
// Catalogues of 64 MiB of files or more are kept; smaller ones are read anew in a moment. The file
// is made in a temporary one beside it and renamed when it is whole, so readers see all or nothing;
// of two processes that make it at once each makes its own and the last rename stays. It is made
// anew when the files' paths, sizes or times change, or when it is of another version, cut short or
// damaged. What is verified when: internal/section_file.h.
// Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/catalogue.h"

namespace dreamgym::webshop {

struct CacheOptions {
  /// Where the parsed file goes, and that any catalogue is kept; "" = ".dreamgym" in the data
  /// folder, or where that can't be written "webshop" in $DREAMGYM_CACHE.
  Path folder{};
  /// Catalogues whose files have fewer bytes are not kept, unless `folder` is given.
  std::uintmax_t kept_from_bytes = std::uintmax_t{64} << 20U;
  /// Told in a line why a file is made anew and where it is kept. May be null.
  std::function<void(std::string_view line)> note{};
};

/// @param data_folder  as find_catalogue_files takes it.
/// @throws Error as find_catalogue_files and read_catalogue; kIo if the parsed file can't be
///               written anywhere.
std::shared_ptr<const Catalogue> open_catalogue(const Path& data_folder,
                                                const CacheOptions& options = {});

/// Where the parsed file of that data folder is in a cache folder.
Path cache_path(const Path& data_folder, const Path& cache_folder);

}  // namespace dreamgym::webshop
