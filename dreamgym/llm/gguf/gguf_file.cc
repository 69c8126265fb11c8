#include "dreamgym/llm/gguf/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/checkpoint/safetensors.h"

namespace dreamgym {
namespace {

constexpr std::size_t kMaxDimensions = 4;
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::int64_t kMaxAlignment = 1 << 20;
constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kNewestVersion = 3;

enum ValueType : std::uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

[[noreturn]] void corrupt(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kCorrupt,
              where + ": " + what,
              "the file is damaged or was not written to its end; fetch it again");
}

/// Reads on from a position; never past the end.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string text() { return std::string(take(number<std::uint64_t>())); }

  /// A count of things that take at least so many bytes each.
  std::size_t count(std::size_t bytes_each, const char* what) {
    const auto value = number<std::uint64_t>();
    if (value > (bytes_.size() - position_) / bytes_each) {
      corrupt(where_, fmt::format("says it has {} {}, more than fit into the file", value, what));
    }
    return value;
  }

  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - position_) {
      corrupt(where_,
              fmt::format("{} bytes are missing after byte {}",
                          size - (bytes_.size() - position_),
                          bytes_.size()));
    }
    const std::string_view piece = bytes_.substr(position_, size);
    position_ += size;
    return piece;
  }

  std::string_view bytes_;
  const std::string& where_;
  std::size_t position_ = 0;
};

std::int64_t read_integer(Reader& reader, std::uint32_t type) {
  switch (type) {
    case kUint8:
      return reader.number<std::uint8_t>();
    case kInt8:
      return reader.number<std::int8_t>();
    case kUint16:
      return reader.number<std::uint16_t>();
    case kInt16:
      return reader.number<std::int16_t>();
    case kUint32:
      return reader.number<std::uint32_t>();
    case kInt32:
      return reader.number<std::int32_t>();
    default:
      return reader.number<std::int64_t>();
  }
}

bool is_integer(std::uint32_t type) {
  return type <= kInt32 || type == kUint64 || type == kInt64;
}

/// The double nearest to the decimal number that a float was written as: 1e-05F is 1e-5.
double widened_float(float value) {
  return std::isfinite(value) ? std::stod(fmt::format("{}", value)) : double{value};
}

double read_float(Reader& reader, std::uint32_t type) {
  return type == kFloat32 ? widened_float(reader.number<float>()) : reader.number<double>();
}

GgufValue read_array(Reader& reader, const std::string& where) {
  const auto type = reader.number<std::uint32_t>();
  if (type == kString) {
    std::vector<std::string> texts(reader.count(sizeof(std::uint64_t), "texts in a list"));
    for (std::string& text : texts) {
      text = reader.text();
    }
    return texts;
  }
  if (type == kFloat32 || type == kFloat64) {
    std::vector<double> values(reader.count(sizeof(float), "numbers in a list"));
    for (double& value : values) {
      value = read_float(reader, type);
    }
    return values;
  }
  if (!is_integer(type) && type != kBool) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: a list of values of type {} is not read", where, type));
  }
  std::vector<std::int64_t> values(reader.count(1, "numbers in a list"));
  for (std::int64_t& value : values) {
    value = read_integer(reader, type == kBool ? std::uint32_t{kUint8} : type);
  }
  return values;
}

GgufValue read_value(Reader& reader, const std::string& where) {
  const auto type = reader.number<std::uint32_t>();
  if (is_integer(type)) {
    return read_integer(reader, type);
  }
  switch (type) {
    case kFloat32:
    case kFloat64:
      return read_float(reader, type);
    case kBool:
      return reader.number<std::uint8_t>() != 0;
    case kString:
      return reader.text();
    case kArray:
      return read_array(reader, where);
    default:
      corrupt(where, fmt::format("a value has the unknown type {}", type));
  }
}

struct Placed {
  GgufTensor tensor;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Bytes of a tensor of that shape.
std::uint64_t size_of(const GgufTensor& tensor, const std::string& name, const std::string& where) {
  constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 48U;
  std::uint64_t count = 1;
  for (const std::int64_t extent : tensor.shape) {
    if (extent <= 0 || static_cast<std::uint64_t>(extent) > kMaxValues / count) {
      corrupt(where, fmt::format("the shape of \"{}\" does not fit the file", shorten(name, 80)));
    }
    count *= static_cast<std::uint64_t>(extent);
  }
  const auto block = static_cast<std::int64_t>(tensor.format.num_values);
  if (tensor.shape.empty() || tensor.shape.back() % block != 0) {
    corrupt(where,
            fmt::format("a row of \"{}\" is no multiple of {} values, the block of {}",
                        shorten(name, 80),
                        block,
                        tensor.format.name));
  }
  return count / tensor.format.num_values * tensor.format.num_bytes;
}

Placed read_tensor(Reader& reader, const std::string& name, const std::string& where) {
  Placed placed;
  const auto num_dimensions = reader.number<std::uint32_t>();
  if (num_dimensions > kMaxDimensions) {
    corrupt(where,
            fmt::format("tensor \"{}\" has {} dimensions", shorten(name, 80), num_dimensions));
  }
  for (std::uint32_t i = 0; i < num_dimensions; ++i) {
    placed.tensor.shape.push_back(reader.number<std::int64_t>());
  }
  std::ranges::reverse(placed.tensor.shape);
  const auto type = reader.number<std::uint32_t>();
  const auto format = block_format(type);
  if (!format) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format(
            "{}: tensor \"{}\" has type {}, which is not read", where, shorten(name, 80), type),
        "read are F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K");
  }
  placed.tensor.format = *format;
  placed.offset = reader.number<std::uint64_t>();
  placed.size = size_of(placed.tensor, name, where);
  return placed;
}

std::size_t alignment_of(const std::map<std::string, GgufValue>& metadata,
                         const std::string& where) {
  const auto found = metadata.find("general.alignment");
  const auto* value =
      found == metadata.end() ? &kDefaultAlignment : std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value <= 0 || *value > kMaxAlignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(*value))) {
    corrupt(where, "general.alignment is no power of two");
  }
  return static_cast<std::size_t>(*value);
}

void check_apart(const std::map<std::string, Placed>& tensors, const std::string& where) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, placed] : tensors) {
    ranges.emplace_back(placed.offset, placed.offset + placed.size);
  }
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) {
      corrupt(where, fmt::format("tensors overlap at data byte {}", ranges[i].first));
    }
  }
}

}  // namespace

GgufFile::GgufFile(const Path& path) : name_(path.string()), file_(path) {
  constexpr std::string_view kMagic = "GGUF";
  constexpr std::size_t kLeastValueBytes = 8 + 4 + 1;
  constexpr std::size_t kLeastTensorBytes = 8 + 4 + 4 + 8;
  const std::string_view bytes = file_.bytes();
  if (!bytes.starts_with(kMagic)) {
    corrupt(name_, "is no GGUF file: it does not begin with \"GGUF\"");
  }
  Reader reader(bytes, name_);
  reader.number<std::uint32_t>();
  const auto version = reader.number<std::uint32_t>();
  if (version < kOldestVersion || version > kNewestVersion) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: GGUF version {}, expected 2 or 3", name_, version));
  }
  const std::size_t num_tensors = reader.count(kLeastTensorBytes, "tensors");
  const std::size_t num_values = reader.count(kLeastValueBytes, "values");
  for (std::size_t i = 0; i < num_values; ++i) {
    const std::string key = reader.text();
    if (!metadata_.emplace(key, read_value(reader, name_)).second) {
      corrupt(name_, fmt::format("the value \"{}\" comes twice", shorten(key, 80)));
    }
  }
  std::map<std::string, Placed> tensors;
  for (std::size_t i = 0; i < num_tensors; ++i) {
    const std::string name = reader.text();
    if (!tensors.emplace(name, read_tensor(reader, name, name_)).second) {
      corrupt(name_, fmt::format("the tensor \"{}\" comes twice", shorten(name, 80)));
    }
  }
  const std::size_t alignment = alignment_of(metadata_, name_);
  const std::size_t begin = (reader.position() + alignment - 1) / alignment * alignment;
  const std::string_view data = bytes.substr(std::min(begin, bytes.size()));
  for (auto& [name, placed] : tensors) {
    if (placed.offset % alignment != 0 || placed.offset > data.size() ||
        placed.size > data.size() - placed.offset) {
      corrupt(name_,
              fmt::format("tensor \"{}\" lies at data bytes {} to {}, the file has {}",
                          shorten(name, 80),
                          placed.offset,
                          placed.offset + placed.size,
                          data.size()));
    }
    placed.tensor.bytes = data.substr(placed.offset, placed.size);
  }
  check_apart(tensors, name_);
  for (auto& [name, placed] : tensors) {
    tensors_.emplace(name, std::move(placed.tensor));
  }
}

void GgufFile::fail_value(const std::string& key, const char* what) const {
  corrupt(name_, fmt::format("the value \"{}\" {}", key, what));
}

std::vector<float> dequantized(const GgufTensor& tensor, const std::string& name) {
  std::vector<float> values(num_values(tensor.shape));
  dequantize(tensor.format.type, tensor.bytes, values);
  const auto broken =
      std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (broken != values.end()) {
    throw Error(
        ErrorKind::kCorrupt,
        fmt::format(
            "value {} of tensor \"{}\" is {}", broken - values.begin(), shorten(name, 80), *broken),
        "the file is damaged or the model was; fetch it again");
  }
  return values;
}

}  // namespace dreamgym
