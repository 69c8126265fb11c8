#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {

void fuzz_safetensors(std::string_view bytes) {
  try {
    for (const auto& [name, array] : read_safetensors(bytes, "input").arrays) {
      (void)widened(array, name, "input");
    }
  } catch (const Error&) {
  }
}

}  // namespace dreamgym
