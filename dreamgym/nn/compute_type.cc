#include "dreamgym/nn/compute_type.h"

#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/blocked_product.h"

namespace dreamgym {

bool can_compute(ComputeType type) {
  return type == ComputeType::kFloat32 || internal::has_blocked_products();
}

ComputeType compute_type_named(std::string_view name) {
  if (name == "fp32") {
    return ComputeType::kFloat32;
  }
  if (name != "bf16") {
    throw Error(ErrorKind::kInvalidArgument,
                "no numbers called \"" + std::string(name) + "\" to compute in, expected fp32 or bf16");
  }
  if (!can_compute(ComputeType::kBFloat16)) {
    throw Error(ErrorKind::kUnsupported,
                "this machine has no instructions for products of bfloat16 numbers (AVX-512 BF16)",
                "compute in fp32");
  }
  return ComputeType::kBFloat16;
}

}  // namespace dreamgym
