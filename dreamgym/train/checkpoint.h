// A checkpoint is one file that is either whole or not used.
//
// Layout (docs/formats/checkpoint.md): the line "dreamgym-checkpoint 1\n", then per blob a line
// "<name> <bytes> <crc32 of name and bytes>\n" and the bytes, then "end\n". Written to a temporary file, synced and
// renamed; the one before is kept. Reading takes the newest file whose every checksum fits.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dreamgym/base/file.h"

namespace dreamgym {

using Blobs = std::map<std::string, std::string>;

/// The bytes of a checkpoint file. Blob names hold neither blanks nor newlines.
std::string encode_checkpoint(const Blobs& blobs);
/// @throws Error kCorrupt (cut short, flipped byte) or kUnsupported (another version); `name` is for
/// the message.
Blobs decode_checkpoint(std::string_view bytes, const std::string& name);

struct LoadedCheckpoint {
  std::uint64_t number = 0;
  Blobs blobs;
  std::string skipped;  ///< what was wrong with newer files; "" if the newest one was whole
};

/// Numbered checkpoints of one training run in a folder.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(Path folder);
  /// Writes "step-<number>.ckpt" and removes all but the newest two.
  void save(std::uint64_t number, const Blobs& blobs);
  /// The newest whole one, or nothing if there is none at all.
  /// @throws Error kCorrupt if there are files and none is whole; kUnsupported for another version.
  [[nodiscard]] std::optional<LoadedCheckpoint> load_latest() const;
  /// True if the folder holds a checkpoint file, whole or not.
  static bool any_in(const Path& folder);

 private:
  Path folder_;
};

}  // namespace dreamgym
