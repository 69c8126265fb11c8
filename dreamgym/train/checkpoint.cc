#include "dreamgym/train/checkpoint.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::string_view kMagic = "dreamgym-checkpoint ";
constexpr std::string_view kVersion = "1";

std::string_view next_line(std::string_view& rest, const std::string& name) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) {
    throw Error(ErrorKind::kCorrupt, name + ": the checkpoint is cut short");
  }
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::uint64_t parse_number(std::string_view text, const std::string& name) {
  const auto value = parse_unsigned(text);
  if (!value) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: expected a number in a blob header, got '{}'", name, shorten(text, 40)));
  }
  return *value;
}

struct Numbered {
  std::uint64_t number = 0;
  Path path;
};

// Checkpoint files of a folder, newest first.
std::vector<Numbered> list_checkpoints(const Path& folder) {
  std::vector<Numbered> found;
  if (!std::filesystem::is_directory(folder)) {
    return found;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    std::string_view stem = file;
    if (!consume_prefix(stem, "step-") || !stem.ends_with(".ckpt")) {
      continue;
    }
    stem.remove_suffix(std::string_view(".ckpt").size());
    found.push_back({parse_number(stem, file), entry.path()});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.number > b.number;
  });
  return found;
}

}  // namespace

std::string encode_checkpoint(const Blobs& blobs) {
  std::string out = fmt::format("{}{}\n", kMagic, kVersion);
  for (const auto& [name, bytes] : blobs) {
    check(name.find_first_of(" \n") == std::string::npos, "blob names hold no blanks");
    out += fmt::format("{} {} {}\n", name, bytes.size(), checksum(name + bytes));
    out += bytes;
  }
  out += "end\n";
  return out;
}

Blobs decode_checkpoint(std::string_view bytes, const std::string& name) {
  std::string_view rest = bytes;
  std::string_view first = next_line(rest, name);
  if (!consume_prefix(first, kMagic)) {
    throw Error(ErrorKind::kCorrupt, name + ": not a dreamgym checkpoint");
  }
  if (first != kVersion) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: checkpoint version {}, this program reads version {}",
                            name,
                            shorten(first, 20),
                            kVersion),
                "continue the run with the program that began it, or start a new run folder");
  }
  Blobs blobs;
  while (true) {
    const std::string_view header = next_line(rest, name);
    if (header == "end") {
      break;
    }
    const std::vector<std::string> fields = split(header, ' ');
    if (fields.size() != 3) {
      throw Error(ErrorKind::kCorrupt, name + ": a blob header is damaged");
    }
    const std::uint64_t size = parse_number(fields[1], name);
    if (size > rest.size()) {
      throw Error(ErrorKind::kCorrupt,
                  fmt::format("{}: cut short in '{}': {} bytes expected, {} there",
                              name,
                              fields[0],
                              size,
                              rest.size()));
    }
    std::string blob(rest.substr(0, size));
    rest.remove_prefix(size);
    if (checksum(fields[0] + blob) != parse_number(fields[2], name)) {
      throw Error(ErrorKind::kCorrupt,
                  fmt::format("{}: the checksum of '{}' does not fit", name, fields[0]));
    }
    blobs.emplace(fields[0], std::move(blob));
  }
  if (!rest.empty()) {
    throw Error(ErrorKind::kCorrupt, name + ": bytes after the end");
  }
  return blobs;
}

CheckpointFolder::CheckpointFolder(Path folder) : folder_(std::move(folder)) {
  make_folder(folder_);
}

void CheckpointFolder::save(std::uint64_t number, const Blobs& blobs) {
  write_file(folder_ / fmt::format("step-{:08}.ckpt", number), encode_checkpoint(blobs));
  const auto files = list_checkpoints(folder_);
  for (std::size_t i = 2; i < files.size(); ++i) {
    std::filesystem::remove(files[i].path);
  }
}

bool CheckpointFolder::any_in(const Path& folder) { return !list_checkpoints(folder).empty(); }

std::optional<LoadedCheckpoint> CheckpointFolder::load_latest() const {
  LoadedCheckpoint loaded;
  const auto files = list_checkpoints(folder_);
  for (const Numbered& file : files) {
    try {
      loaded.blobs = decode_checkpoint(read_file(file.path), file.path.string());
      loaded.number = file.number;
      return loaded;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kCorrupt) {
        throw;
      }
      loaded.skipped += (loaded.skipped.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (!files.empty()) {
    throw Error(ErrorKind::kCorrupt,
                "no checkpoint is whole: " + loaded.skipped,
                "remove the checkpoints folder to start this stage again");
  }
  return std::nullopt;
}

}  // namespace dreamgym
