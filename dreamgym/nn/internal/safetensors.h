// The safetensors file format: 8 bytes little-endian header length, a JSON header
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}}, then
// the arrays' bytes, which cover the rest of the file exactly.
//
// Our own files carry the data's CRC-32 in the metadata, so that a flipped byte is noticed.
// Pure. Thread safety: reentrant.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dreamgym/nn/weights.h"

namespace dreamgym::internal {

struct Safetensors {
  std::map<std::string, WeightArray> arrays;
  std::map<std::string, std::string> metadata;
};

/// The file's bytes; the checksum is added to the metadata.
std::string write_safetensors(const std::map<std::string, WeightArray>& arrays,
                              const std::map<std::string, std::string>& metadata,
                              WeightType type);

/// fp32, fp16 and bf16 arrays, all as fp32.
/// @param where  the file's name, for messages.
/// @throws Error kCorrupt (cut short, header broken, offsets that do not fit, wrong checksum) or
///         kUnsupported (another number type).
Safetensors read_safetensors(std::string_view bytes, const std::string& where);

}  // namespace dreamgym::internal
