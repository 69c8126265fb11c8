#include "dreamgym/nn/engine/number_names.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::engine {
namespace {

[[noreturn]] void reject(const std::string& name, const char* what) {
  throw Error(ErrorKind::kInvalidArgument,
              fmt::format("generation engine with {} in \"{}\"", what, name),
              "weights are fp32, bf16 or int8; the cache is fp32, bf16 or int16");
}

}  // namespace

NumberFormat weight_format(const std::string& name) {
  if (name == "int8") {
    return NumberFormat::kInt8;
  }
  if (name != "fp32" && name != "bf16") {
    reject(name, "weights");
  }
  return name == "fp32" ? NumberFormat::kFloat32 : NumberFormat::kBFloat16;
}

NumberFormat cache_format(const std::string& name) {
  if (name == "int16") {
    return NumberFormat::kInt16;
  }
  if (name != "fp32" && name != "bf16") {
    reject(name, "cache");
  }
  return weight_format(name);
}

}  // namespace dreamgym::engine
