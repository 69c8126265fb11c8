#include "dreamgym/llm/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "dreamgym_crc32";
constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference reader

[[noreturn]] void corrupt(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kCorrupt,
              where + ": " + what,
              "the file is damaged or was not written to its end; fetch or write it again");
}

std::string quoted(const std::string& name) {
  return "\"" + shorten(name, 80) + "\"";
}

/// The header and where the data begins.
std::pair<Json, std::size_t> parse_header(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kLengthBytes) {
    corrupt(where, fmt::format("only {} bytes, no header", bytes.size()));
  }
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  if (header_bytes > kMaxHeaderBytes || header_bytes > bytes.size() - kLengthBytes) {
    corrupt(where,
            fmt::format("the header says it has {} bytes, the file has {} after the length",
                        header_bytes,
                        bytes.size() - kLengthBytes));
  }
  Json header = Json::parse(bytes.substr(kLengthBytes, header_bytes), nullptr, false);
  if (!header.is_object()) {
    corrupt(where, "the header is not a JSON object");
  }
  return {std::move(header), kLengthBytes + header_bytes};
}

/// Bits of one number.
std::size_t bits_of(const std::string& dtype, const std::string& name, const std::string& where) {
  static const std::map<std::string, std::size_t> kBits = {{"BOOL", 8},
                                                           {"U8", 8},
                                                           {"I8", 8},
                                                           {"F8_E4M3", 8},
                                                           {"F8_E5M2", 8},
                                                           {"U16", 16},
                                                           {"I16", 16},
                                                           {"F16", 16},
                                                           {"BF16", 16},
                                                           {"U32", 32},
                                                           {"I32", 32},
                                                           {"F32", 32},
                                                           {"U64", 64},
                                                           {"I64", 64},
                                                           {"F64", 64}};
  const auto found = kBits.find(dtype);
  if (found == kBits.end()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format(
            "{}: array {} has the unknown number type {}", where, quoted(name), quoted(dtype)));
  }
  return found->second;
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Range read_entry(const Json& json,
                 const std::string& name,
                 const std::string& where,
                 StoredArray& array) {
  try {
    array.dtype = json.at("dtype").get<std::string>();
    array.shape = json.at("shape").get<std::vector<std::int64_t>>();
    const Json& offsets = json.at("data_offsets");
    if (offsets.size() == 2 && offsets[0].is_number_unsigned() && offsets[1].is_number_unsigned()) {
      return {offsets[0].get<std::uint64_t>(), offsets[1].get<std::uint64_t>()};
    }
  } catch (const Json::exception&) {
    corrupt(where, "the header entry of " + quoted(name) + " is broken");
  }
  corrupt(where, "the header entry of " + quoted(name) + " has no two data_offsets");
}

StoredArray read_array(const Json& json,
                       std::string_view data,
                       const std::string& name,
                       const std::string& where) {
  StoredArray array;
  const Range range = read_entry(json, name, where, array);
  const std::size_t width = bits_of(array.dtype, name, where) / 8;
  std::uint64_t count = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent < 0 || (extent > 0 && count > data.size() / static_cast<std::uint64_t>(extent))) {
      corrupt(where, "the shape of " + quoted(name) + " does not fit the file");
    }
    count *= static_cast<std::uint64_t>(extent);
  }
  if (range.begin > range.end || range.end > data.size()) {
    corrupt(where,
            fmt::format("array {} lies at bytes {} to {} of {} data bytes",
                        quoted(name),
                        range.begin,
                        range.end,
                        data.size()));
  }
  if (range.end - range.begin != count * width) {
    corrupt(where,
            fmt::format("array {} has {} bytes, its shape needs {}",
                        quoted(name),
                        range.end - range.begin,
                        count * width));
  }
  array.bytes = data.substr(range.begin, range.end - range.begin);
  return array;
}

/// The arrays must cover the data exactly: neither holes nor overlaps nor bytes after the last.
void check_cover(const Safetensors& file, std::string_view data, const std::string& where) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [name, array] : file.arrays) {
    const auto begin = static_cast<std::size_t>(array.bytes.data() - data.data());
    ranges.emplace_back(begin, begin + array.bytes.size());
  }
  std::ranges::sort(ranges);
  std::size_t reached = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != reached) {
      corrupt(where, fmt::format("the arrays overlap or leave a hole at data byte {}", reached));
    }
    reached = end;
  }
  if (reached != data.size()) {
    corrupt(where,
            fmt::format("the arrays end at data byte {}, the file at {}", reached, data.size()));
  }
}

void check_checksum(const Safetensors& file, std::string_view data, const std::string& where) {
  const auto expected = file.metadata.find(kChecksum);
  if (expected == file.metadata.end()) {
    return;
  }
  if (const std::string got = to_hex(checksum(data)); got != expected->second) {
    corrupt(where, fmt::format("checksum is {}, expected {}", got, shorten(expected->second, 20)));
  }
}

std::optional<NumberType> number_type_of(const std::string& dtype) {
  if (dtype == "F32") {
    return NumberType::kFloat32;
  }
  if (dtype == "F16") {
    return NumberType::kFloat16;
  }
  return dtype == "BF16" ? std::optional(NumberType::kBFloat16) : std::nullopt;
}

const char* dtype_of(NumberType type) {
  return type == NumberType::kFloat32 ? "F32" : type == NumberType::kFloat16 ? "F16" : "BF16";
}

/// Calls visit(bytes) with each array's stored bytes, in the order of the file.
template <class Visit>
void for_each_stored(const std::map<std::string, ArraySource>& arrays,
                     NumberType type,
                     const Visit& visit) {
  std::vector<char> bytes;
  for (const auto& [name, array] : arrays) {
    bytes.clear();
    const std::vector<float> values = array.values();
    check(values.size() == num_values(array.shape), "an array has as many values as its shape");
    append_narrowed(type, values, bytes);
    visit(std::string_view(bytes.data(), bytes.size()));
  }
}

}  // namespace

std::size_t num_values(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) {
    check(extent >= 0, "extents are not negative");
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Safetensors read_safetensors(std::string_view bytes, const std::string& where) {
  const auto [header, data_begin] = parse_header(bytes, where);
  const std::string_view data = bytes.substr(data_begin);
  Safetensors file;
  for (const auto& [name, json] : header.items()) {
    if (name != kMetadata) {
      file.arrays.emplace(name, read_array(json, data, name, where));
    } else if (json.is_object()) {
      for (const auto& [key, value] : json.items()) {
        file.metadata[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
  }
  check_cover(file, data, where);
  check_checksum(file, data, where);
  return file;
}

WeightArray widened(const StoredArray& array, const std::string& name, const std::string& where) {
  const auto type = number_type_of(array.dtype);
  if (!type) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: array {} has number type {}, expected F32, F16 or BF16",
                            where,
                            quoted(name),
                            array.dtype),
                "quantised checkpoints of this kind are not read; use the original or a GGUF");
  }
  WeightArray result{array.shape, std::vector<float>(array.bytes.size() / bytes_per_value(*type))};
  widen(*type, array.bytes, result.values);
  const auto broken =
      std::ranges::find_if(result.values, [](float value) { return !std::isfinite(value); });
  if (broken != result.values.end()) {
    corrupt(
        where,
        fmt::format(
            "value {} of array {} is {}", broken - result.values.begin(), quoted(name), *broken));
  }
  return result;
}

void write_safetensors(const std::map<std::string, ArraySource>& arrays,
                       const std::map<std::string, std::string>& metadata,
                       NumberType type,
                       const std::function<void(std::string_view)>& write) {
  Json header = Json::object();
  std::size_t begin = 0;
  for (const auto& [name, array] : arrays) {
    const std::size_t end = begin + num_values(array.shape) * bytes_per_value(type);
    header[name] = {
        {"dtype", dtype_of(type)}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::uint32_t sum = 0;
  for_each_stored(arrays, type, [&](std::string_view bytes) { sum = checksum(bytes, sum); });
  Json& notes = header[kMetadata] = metadata;
  notes["format"] = "pt";  // what transformers asks for
  notes[kChecksum] = to_hex(sum);
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  const std::uint64_t header_bytes = text.size();
  write({reinterpret_cast<const char*>(&header_bytes), kLengthBytes});
  write(text);
  for_each_stored(arrays, type, write);
}

}  // namespace dreamgym
