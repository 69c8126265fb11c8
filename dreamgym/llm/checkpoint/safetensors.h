// The safetensors file format: 8 bytes little-endian header length, a JSON header
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}}, then
// the arrays' bytes, which cover the rest of the file exactly.
//
// Our own files carry the data's CRC-32 in the metadata, so that a flipped byte is noticed.
// Pure. Thread safety: reentrant.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/llm/checkpoint/number_type.h"

namespace dreamgym {

struct WeightArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< row-major
  bool operator==(const WeightArray&) const = default;
};

/// One array as it lies in the file.
struct StoredArray {
  std::string dtype;  ///< as the file names it, e.g. "BF16"
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< borrowed from the file
};

struct Safetensors {
  std::map<std::string, StoredArray> arrays;
  std::map<std::string, std::string> metadata;
};

/// Checks everything but the numbers themselves; allocates by the header's bytes only.
/// @param bytes  the whole file; borrowed by the result.
/// @param where  the file's name, for messages.
/// @throws Error kCorrupt (cut short, header broken, offsets that overlap or do not fit, wrong
///         checksum) or kUnsupported (a number type of unknown size).
Safetensors read_safetensors(std::string_view bytes, const std::string& where);

/// The array in fp32. @throws Error kUnsupported unless it is F32, F16 or BF16; kCorrupt for a
/// value that is infinite or NaN.
WeightArray widened(const StoredArray& array, const std::string& name, const std::string& where);

/// An array to be written: its values are asked for when their turn comes, twice.
struct ArraySource {
  std::vector<std::int64_t> shape;
  std::function<std::vector<float>()> values;
};

/// Hands the file's bytes over piece by piece (base/file.h's write_file takes them).
/// The checksum is added to the metadata.
void write_safetensors(const std::map<std::string, ArraySource>& arrays,
                       const std::map<std::string, std::string>& metadata,
                       NumberType type,
                       const std::function<void(std::string_view)>& write);

/// Product of the extents. @throws LogicError if one is negative.
std::size_t num_values(const std::vector<std::int64_t>& shape);
/// "[2, 3]".
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace dreamgym
