// The weight files of a model folder, opened but not read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dreamgym/base/mapped_file.h"
#include "dreamgym/llm/checkpoint/safetensors.h"

namespace dreamgym {

/// model.safetensors, or the shards that model.safetensors.index.json names, mapped into memory;
/// headers are checked, numbers are not touched. Thread safety: const members are reentrant.
class WeightFiles {
 public:
  /// @param stem  "model", or "adapter_model" for LoRA.
  /// @throws Error kNotFound, kCorrupt, kUnsupported; kParse for an index that contradicts the
  ///         shards.
  explicit WeightFiles(const Path& folder, const std::string& stem = "model");

  struct Entry {
    StoredArray array;
    std::string file;  ///< for messages
  };
  [[nodiscard]] const std::map<std::string, Entry>& arrays() const { return arrays_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  /// Adds a file's arrays; returns how many.
  void add(const Path& path);

  std::vector<MappedFile> files_;
  std::map<std::string, Entry> arrays_;
  std::map<std::string, std::string> metadata_;
};

/// An array to be written is asked for its values twice, so a model need never be held whole.
/// Writes STEM.safetensors, or, above max_shard_bytes, shards and their index; files of the other
/// layout are removed. Each file is replaced whole. @throws Error kIo.
void write_weight_files(const std::map<std::string, ArraySource>& arrays,
                        const std::map<std::string, std::string>& metadata,
                        NumberType type,
                        const Path& folder,
                        std::size_t max_shard_bytes);

}  // namespace dreamgym
