// The GGUF file format (versions 2 and 3): named values, a table of tensors, their aligned blocks.
//
// Source: docs/gguf.md of ggml.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dreamgym/base/mapped_file.h"
#include "dreamgym/llm/gguf/block_type.h"

namespace dreamgym {

/// A value of the metadata; integers of every width are one kind, and so are floats.
using GgufValue = std::variant<std::int64_t,
                               double,
                               bool,
                               std::string,
                               std::vector<std::int64_t>,
                               std::vector<double>,
                               std::vector<std::string>>;

struct GgufTensor {
  BlockFormat format;
  std::vector<std::int64_t> shape;  ///< slowest dimension first, as everywhere in this house
  std::string_view bytes;           ///< borrowed from the file
};

/// Memory-mapped; everything but the numbers is checked when it is opened, and no count in the file
/// allocates more than a few times its length. Thread safety: const members are reentrant.
class GgufFile {
 public:
  /// @throws Error kNotFound or kIo; kCorrupt naming what contradicts itself; kUnsupported for
  ///         another version or a tensor type that is not read.
  explicit GgufFile(const Path& path);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::map<std::string, GgufValue>& metadata() const { return metadata_; }
  [[nodiscard]] const std::map<std::string, GgufTensor>& tensors() const { return tensors_; }

  /// The value of that kind, or null if there is none. @throws Error kCorrupt if it is of another
  /// kind.
  template <class T>
  [[nodiscard]] const T* find(const std::string& key) const;
  /// @throws Error kCorrupt if it is missing or of another kind.
  template <class T>
  [[nodiscard]] const T& get(const std::string& key) const;

 private:
  [[noreturn]] void fail_value(const std::string& key, const char* what) const;

  std::string name_;
  MappedFile file_;
  std::map<std::string, GgufValue> metadata_;
  std::map<std::string, GgufTensor> tensors_;
};

/// The tensor in fp32. @throws Error kCorrupt for a value that is infinite or NaN.
std::vector<float> dequantized(const GgufTensor& tensor, const std::string& name);

template <class T>
const T* GgufFile::find(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    return nullptr;
  }
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) {
    fail_value(key, "is of another kind");
  }
  return value;
}

template <class T>
const T& GgufFile::get(const std::string& key) const {
  const T* value = find<T>(key);
  if (value == nullptr) {
    fail_value(key, "is missing");
  }
  return *value;
}

}  // namespace dreamgym
