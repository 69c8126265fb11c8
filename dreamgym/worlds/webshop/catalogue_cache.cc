#include "dreamgym/worlds/webshop/catalogue_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/catalogue_files.h"

namespace dreamgym::webshop {
namespace {

namespace fs = std::filesystem;

std::vector<Path> all_of(const CatalogueFiles& files) {
  return {files.products, files.attributes, files.instructions};
}

std::uintmax_t total_bytes(const CatalogueFiles& files) {
  std::uintmax_t total = 0;
  for (const Path& path : all_of(files)) {
    total += fs::file_size(path);
  }
  return total;
}

/// Changes when a file is another, or was written to.
std::string fingerprint_of(const CatalogueFiles& files) {
  std::string text;
  for (const Path& path : all_of(files)) {
    text += fmt::format("{} {} {}\n",
                        fs::canonical(path).string(),
                        fs::file_size(path),
                        fs::last_write_time(path).time_since_epoch().count());
  }
  return text;
}

/// A folder that can be written, made if need be; "" if there is none.
Path writable(const Path& folder) {
  try {
    make_folder(folder);
  } catch (const Error&) {
    return {};
  }
  return ::access(folder.c_str(), W_OK) == 0 ? folder : Path();
}

Path choose_folder(const Path& data_folder, const CacheOptions& options) {
  if (!options.folder.empty()) {
    make_folder(options.folder);
    return options.folder;
  }
  if (Path beside = writable(data_folder / ".dreamgym"); !beside.empty()) {
    return beside;
  }
  const char* general = std::getenv("DREAMGYM_CACHE");  // NOLINT(concurrency-mt-unsafe): read only
  if (general != nullptr && *general != '\0') {
    if (Path folder = writable(Path(general) / "webshop"); !folder.empty()) {
      return folder;
    }
  }
  throw Error(
      ErrorKind::kIo,
      fmt::format("the parsed catalogue can't be kept: expected a folder that can be written, "
                  "got {}{}",
                  (data_folder / ".dreamgym").string(),
                  general == nullptr ? "" : fmt::format(" and {}/webshop", general)),
      "name a folder with --cache or $DREAMGYM_CACHE");
}

}  // namespace

std::shared_ptr<const Catalogue> open_catalogue(const Path& data_folder,
                                                const CacheOptions& options) {
  const CatalogueFiles files = find_catalogue_files(data_folder);
  if (options.folder.empty() && total_bytes(files) < options.kept_from_bytes) {
    return std::make_shared<const Catalogue>(load_catalogue(data_folder));
  }
  const Path path = cache_path(data_folder, choose_folder(data_folder, options));
  const std::string fingerprint = fingerprint_of(files);
  const auto note = [&](const std::string& line) {
    if (options.note) {
      options.note(line);
    }
  };
  const auto open = [&] {
    return std::make_shared<const Catalogue>(
        std::make_shared<const SectionFile>(path, fingerprint));
  };
  try {
    return open();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kCorrupt) {
      note(fmt::format("{}; it is made anew", shorten(split(error.what(), '\n').front(), 400)));
    } else if (error.kind() != ErrorKind::kNotFound) {
      throw;
    }
  }
  note(fmt::format(
      "reading the catalogue in {} once; it is kept in {}", data_folder.string(), path.string()));
  write_file(path, [&](const auto& write) {
    SectionWriter writer(write, fingerprint);
    CatalogueBuilder builder(writer);
    read_catalogue(files, 0, builder);
  });
  return open();
}

Path cache_path(const Path& data_folder, const Path& cache_folder) {
  const std::uint64_t name = hash_text(fs::weakly_canonical(data_folder).string());
  return cache_folder / fmt::format("webshop-{}.catalogue", to_hex(name));
}

}  // namespace dreamgym::webshop
