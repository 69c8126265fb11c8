#include "dreamgym/nn/internal/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym::internal {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "dreamgym_crc32";
constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference reader

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  }
  const std::uint32_t round_to_even = 0x7fffU + ((bits >> 16) & 1U);
  return static_cast<std::uint16_t>((bits + round_to_even) >> 16);
}

float from_bfloat16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

float from_float16(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int mantissa = half & 0x3ff;
  float magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

[[noreturn]] void corrupt(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kCorrupt,
              where + ": " + what,
              "the file is damaged or was not written to its end; fetch or write it again");
}

Json parse_header(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kLengthBytes) {
    corrupt(where, "only " + std::to_string(bytes.size()) + " bytes, no header");
  }
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  if (header_bytes > kMaxHeaderBytes || header_bytes > bytes.size() - kLengthBytes) {
    corrupt(where,
            "the header says it has " + std::to_string(header_bytes) + " bytes, the file has " +
                std::to_string(bytes.size() - kLengthBytes) + " after the length");
  }
  Json header = Json::parse(bytes.substr(kLengthBytes, header_bytes), nullptr, false);
  if (!header.is_object()) {
    corrupt(where, "the header is not a JSON object");
  }
  return header;
}

// One header entry, checked as far as it can be without the others.
struct Entry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Entry parse_entry(const Json& json, const std::string& name, const std::string& where) {
  Entry entry;
  try {
    entry.dtype = json.at("dtype").get<std::string>();
    entry.shape = json.at("shape").get<std::vector<std::int64_t>>();
    const auto offsets = json.at("data_offsets").get<std::vector<std::uint64_t>>();
    entry.begin = offsets.at(0);
    entry.end = offsets.at(1);
  } catch (const std::exception&) {
    corrupt(where, "the header entry of \"" + shorten(name, 80) + "\" is broken");
  }
  return entry;
}

std::size_t bytes_per_value(const Entry& entry, const std::string& name, const std::string& where) {
  if (entry.dtype == "F32") {
    return 4;
  }
  if (entry.dtype == "F16" || entry.dtype == "BF16") {
    return 2;
  }
  throw Error(ErrorKind::kUnsupported,
              where + ": array \"" + shorten(name, 80) + "\" has number type " +
                  shorten(entry.dtype, 20) + ", expected F32, F16 or BF16");
}

WeightArray decode(const Entry& entry,
                   std::string_view data,
                   const std::string& name,
                   const std::string& where) {
  const std::size_t width = bytes_per_value(entry, name, where);
  std::uint64_t count = 1;
  for (const std::int64_t dim : entry.shape) {
    if (dim < 0 || (dim > 0 && count > data.size() / static_cast<std::uint64_t>(dim))) {
      corrupt(where, "the shape of \"" + shorten(name, 80) + "\" does not fit the file");
    }
    count *= static_cast<std::uint64_t>(dim);
  }
  if (entry.begin > entry.end || entry.end > data.size()) {
    corrupt(where,
            "array \"" + shorten(name, 80) + "\" lies at bytes " + std::to_string(entry.begin) +
                " to " + std::to_string(entry.end) + " of " + std::to_string(data.size()) +
                " data bytes");
  }
  if (entry.end - entry.begin != count * width) {
    corrupt(where,
            "array \"" + shorten(name, 80) + "\" has " + std::to_string(entry.end - entry.begin) +
                " bytes, its shape needs " + std::to_string(count * width));
  }
  WeightArray array{entry.shape, std::vector<float>(count)};
  const char* source = data.data() + entry.begin;
  if (width == 4) {
    std::memcpy(array.values.data(), source, count * width);
    return array;
  }
  const auto convert = entry.dtype == "BF16" ? from_bfloat16 : from_float16;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, source + i * width, width);
    array.values[i] = convert(half);
  }
  return array;
}

// The arrays must cover the data exactly: neither holes nor overlaps nor bytes after the last.
void check_cover(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges,
                 std::uint64_t data_bytes,
                 const std::string& where) {
  std::ranges::sort(ranges);
  std::uint64_t reached = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != reached) {
      corrupt(where, "the arrays overlap or leave a hole at data byte " + std::to_string(reached));
    }
    reached = end;
  }
  if (reached != data_bytes) {
    corrupt(where,
            "the arrays end at data byte " + std::to_string(reached) + ", the file at " +
                std::to_string(data_bytes));
  }
}

void append_values(std::string& bytes, const std::vector<float>& values, WeightType type) {
  if (type == WeightType::kFloat32) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return;
  }
  std::vector<std::uint16_t> halves(values.size());
  std::ranges::transform(values, halves.begin(), to_bfloat16);
  bytes.append(reinterpret_cast<const char*>(halves.data()), halves.size() * 2);
}

}  // namespace

std::string write_safetensors(const std::map<std::string, WeightArray>& arrays,
                              const std::map<std::string, std::string>& metadata,
                              WeightType type) {
  std::string data;
  Json header = Json::object();
  for (const auto& [name, array] : arrays) {
    const std::size_t begin = data.size();
    append_values(data, array.values, type);
    header[name] = {{"dtype", type == WeightType::kFloat32 ? "F32" : "BF16"},
                    {"shape", array.shape},
                    {"data_offsets", {begin, data.size()}}};
  }
  Json& notes = header[kMetadata] = metadata;
  notes["format"] = "pt";  // what transformers asks for
  notes[kChecksum] = to_hex(checksum(data));
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  const std::uint64_t header_bytes = text.size();
  std::string bytes(reinterpret_cast<const char*>(&header_bytes), kLengthBytes);
  return bytes + text + data;
}

Safetensors read_safetensors(std::string_view bytes, const std::string& where) {
  const Json header = parse_header(bytes, where);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  const std::string_view data = bytes.substr(kLengthBytes + header_bytes);
  Safetensors result;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, json] : header.items()) {
    if (name == kMetadata) {
      continue;
    }
    const Entry entry = parse_entry(json, name, where);
    result.arrays[name] = decode(entry, data, name, where);
    ranges.emplace_back(entry.begin, entry.end);
  }
  check_cover(std::move(ranges), data.size(), where);
  if (const auto notes = header.find(kMetadata); notes != header.end() && notes->is_object()) {
    for (const auto& [key, value] : notes->items()) {
      if (value.is_string()) {
        result.metadata[key] = value.get<std::string>();
      }
    }
  }
  const auto expected = result.metadata.find(kChecksum);
  if (expected != result.metadata.end() && expected->second != to_hex(checksum(data))) {
    corrupt(
        where,
        "checksum is " + to_hex(checksum(data)) + ", expected " + shorten(expected->second, 20));
  }
  return result;
}

}  // namespace dreamgym::internal
